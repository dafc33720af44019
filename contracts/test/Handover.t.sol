// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControlDefaultAdminRules} from
    "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import "@openzeppelin/contracts/governance/TimelockController.sol";
import {Governed} from "../src/shared/Governed.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title The admin role goes to a timelock in two steps, and then nothing happens without its delay
contract HandoverTest is FixtureTest {
    uint256 private constant DELAY = 2 days;
    TimelockController private timelock;

    function setUp() public override {
        super.setUp();
        address[] memory proposers = new address[](1);
        proposers[0] = stranger;
        bytes memory arguments = abi.encode(DELAY, proposers, proposers, address(0));
        timelock = TimelockController(payable(vm.deployCode("TimelockController.sol:TimelockController", arguments)));
    }

    function _schedule(address target, bytes memory data) private {
        vm.prank(stranger);
        timelock.schedule(target, 0, data, 0, 0, DELAY);
    }

    function _execute(address target, bytes memory data) private {
        vm.prank(stranger);
        timelock.execute(target, 0, data, 0, 0);
    }

    function _handOver(Governed governed) private {
        bytes memory accept = abi.encodeCall(governed.acceptDefaultAdminTransfer, ());
        vm.prank(admin);
        governed.beginDefaultAdminTransfer(address(timelock));
        vm.assertEq(governed.defaultAdmin(), admin, "not yet");
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControlDefaultAdminRules.AccessControlInvalidDefaultAdmin.selector, stranger
            )
        );
        vm.prank(stranger);
        governed.acceptDefaultAdminTransfer();
        _schedule(address(governed), accept);
        vm.warp(block.timestamp + DELAY);
        _execute(address(governed), accept);
        vm.assertEq(governed.defaultAdmin(), address(timelock), "handed over");
        vm.assertFalse(governed.hasRole(bytes32(0), admin), "the old one is none any more");
    }

    function test_is_handed_over_in_two_steps() public {
        vm.assertEq(coin.defaultAdminDelay(), 0, "the delay is the timelock's");
        _handOver(coin);
        _handOver(settlement);
    }

    function test_a_timelock_upgrades_after_its_delay_and_not_before() public {
        _handOver(coin);
        address implementation = _newCoin();
        bytes memory upgrade = abi.encodeCall(coin.upgradeToAndCall, (implementation, ""));
        vm.expectRevert(_refused(admin, bytes32(0)));
        vm.prank(admin);
        coin.upgradeToAndCall(implementation, "");
        _schedule(address(coin), upgrade);
        vm.warp(block.timestamp + DELAY - 1);
        vm.expectRevert();
        _execute(address(coin), upgrade);
        vm.warp(block.timestamp + 1);
        _execute(address(coin), upgrade);
        bytes32 slot = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
        vm.assertEq(vm.load(address(coin), slot), bytes32(uint256(uint160(implementation))), "upgraded");
    }

    function test_a_handover_can_be_called_off() public {
        vm.startPrank(admin);
        coin.beginDefaultAdminTransfer(stranger);
        coin.cancelDefaultAdminTransfer();
        vm.stopPrank();
        vm.warp(block.timestamp + 1);
        vm.expectRevert();
        vm.prank(stranger);
        coin.acceptDefaultAdminTransfer();
        vm.assertEq(coin.defaultAdmin(), admin, "still the admin");
    }

    function test_the_admin_cannot_vanish_in_one_step() public {
        vm.expectRevert();
        vm.prank(admin);
        coin.renounceRole(bytes32(0), admin);
        vm.assertEq(coin.defaultAdmin(), admin, "still the admin");
    }
}
