// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {ERC20PermitUpgradeable} from
    "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PermitUpgradeable.sol";
import {Freezable} from "../src/coin/Freezable.sol";
import {Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title What holders may do: transfer, approve, permit; and that nothing moves when paused or frozen
contract CoinMovementTest is FixtureTest {
    bytes private constant PAUSED = abi.encodeWithSelector(PausableUpgradeable.EnforcedPause.selector);
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    function setUp() public override {
        super.setUp();
        _give(alice, 100e6);
        _give(bob, 100e6);
        vm.prank(alice);
        coin.approve(carol, type(uint256).max);
    }

    function _permitOfAlice(uint256 value, uint256 deadline) private view returns (uint8, bytes32, bytes32) {
        bytes32 structHash =
            keccak256(abi.encode(PERMIT_TYPEHASH, alice, bob, value, coin.nonces(alice), deadline));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", coin.DOMAIN_SEPARATOR(), structHash));
        return vm.sign(_keyOf("alice"), digest);
    }

    function _frozen(address wallet) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Freezable.FrozenWallet.selector, wallet);
    }

    function test_describes_itself() public view {
        vm.assertEq(coin.name(), "Ringgit Coin", "name");
        vm.assertEq(coin.symbol(), "MYRC", "symbol");
        vm.assertEq(coin.decimals(), 6, "decimals");
        (, string memory name, string memory version, uint256 chainId, address verifying,,) = coin.eip712Domain();
        vm.assertEq(name, "Ringgit Coin", "domain name");
        vm.assertEq(version, "1", "domain version");
        vm.assertEq(chainId, block.chainid, "domain chain");
        vm.assertEq(verifying, address(coin), "domain contract");
    }

    function testFuzz_transfers(uint256 amount) public {
        amount = _within(amount, 0, 100e6);
        vm.prank(alice);
        coin.transfer(bob, amount);
        vm.assertEq(coin.balanceOf(alice), 100e6 - amount, "sender");
        vm.assertEq(coin.balanceOf(bob), 100e6 + amount, "recipient");
        vm.assertEq(coin.totalSupply(), 200e6, "supply");
    }

    function test_permit_lets_the_spender_spend_once() public {
        (uint8 v, bytes32 r, bytes32 s) = _permitOfAlice(40e6, NOW);
        vm.prank(stranger);
        coin.permit(alice, bob, 40e6, NOW, v, r, s);
        vm.prank(bob);
        coin.transferFrom(alice, carol, 40e6);
        vm.assertEq(coin.balanceOf(carol), 40e6, "moved");
        vm.assertEq(coin.allowance(alice, bob), 0, "allowance used up");
        vm.expectRevert();
        coin.permit(alice, bob, 40e6, NOW, v, r, s);
    }

    function test_permit_refuses_a_late_or_altered_signature() public {
        uint256 deadline = NOW;
        (uint8 v, bytes32 r, bytes32 s) = _permitOfAlice(40e6, deadline);
        vm.expectRevert();
        coin.permit(alice, bob, 41e6, deadline, v, r, s);
        vm.warp(deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(ERC20PermitUpgradeable.ERC2612ExpiredSignature.selector, deadline));
        coin.permit(alice, bob, 40e6, deadline, v, r, s);
    }

    function test_nothing_moves_while_paused() public {
        (uint8 v, bytes32 r, bytes32 s) = _permitOfAlice(40e6, NOW);
        coin.permit(alice, bob, 40e6, NOW, v, r, s);
        _pause();

        vm.expectRevert(PAUSED);
        vm.prank(alice);
        coin.transfer(bob, 1);
        vm.expectRevert(PAUSED);
        vm.prank(bob);
        coin.transferFrom(alice, bob, 1);
        vm.expectRevert(PAUSED);
        vm.prank(address(settlement));
        coin.execute(_batch(_mint(alice, 1)));

        vm.prank(pauser);
        coin.unpause();
        vm.prank(bob);
        coin.transferFrom(alice, bob, 40e6);
        vm.assertEq(coin.balanceOf(bob), 140e6, "moves again");
    }

    function test_a_frozen_wallet_does_not_send() public {
        _freeze(alice);
        vm.expectRevert(_frozen(alice));
        vm.prank(alice);
        coin.transfer(bob, 1);
        vm.expectRevert(_frozen(alice));
        vm.prank(carol);
        coin.transferFrom(alice, carol, 1);
    }

    function test_a_frozen_wallet_does_not_receive() public {
        _freeze(bob);
        vm.expectRevert(_frozen(bob));
        vm.prank(alice);
        coin.transfer(bob, 1);
        _settleFails(_mint(bob, 1), Reason.Frozen);
        _link(alice);
        _settleFails(_transfer(alice, bob, 1), Reason.Frozen);
    }

    function test_a_frozen_wallet_is_not_debited_by_settlements() public {
        _link(alice);
        _freeze(alice);
        _settleFails(_burn(alice, 1), Reason.Frozen);
        _settleFails(_transfer(alice, bob, 1), Reason.Frozen);
    }

    function test_a_frozen_spender_spends_nothing() public {
        _freeze(carol);
        vm.expectRevert(_frozen(carol));
        vm.prank(carol);
        coin.transferFrom(alice, bob, 1);
    }

    function test_an_unfrozen_wallet_moves_again() public {
        _freeze(alice);
        vm.prank(freezer);
        coin.unfreeze(alice);
        vm.prank(alice);
        coin.transfer(bob, 100e6);
        vm.assertEq(coin.balanceOf(alice), 0, "moved");
    }

    function test_an_allowance_can_be_revoked_while_paused_or_frozen() public {
        _pause();
        _freeze(alice);
        vm.prank(alice);
        coin.approve(carol, 0);
        vm.assertEq(coin.allowance(alice, carol), 0, "revoked");
    }
}
