// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IAccessControlDefaultAdminRules} from
    "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {Coin} from "../src/Coin.sol";
import {Settlement} from "../src/Settlement.sol";
import {Freezable} from "../src/coin/Freezable.sol";
import {Linkable} from "../src/coin/Linkable.sol";
import {Seizable} from "../src/coin/Seizable.sol";
import {Limited} from "../src/settlement/Limited.sol";
import {Governed} from "../src/shared/Governed.sol";
import {Rescuable} from "../src/shared/Rescuable.sol";
import {Kind} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {pack} from "./support/Instructions.sol";

/// @title Every function behind a role is refused to everybody else
contract RolesTest is FixtureTest {
    bytes32 private constant ADMIN = bytes32(0);

    /// @dev Calls as everybody who is known, the other role holders included, except those who may.
    function _onlyFor(address allowed, address target, bytes32 role, bytes memory data) private {
        address[15] memory everybody = [
            admin, signer, otherSigner, limiter, pauser, otherPauser, unpauser, freezer, linker, treasury, stranger,
            alice, bob, address(settlement), address(coin)
        ];
        for (uint256 i = 0; i < everybody.length; ++i) {
            if (everybody[i] == allowed) continue;
            vm.prank(everybody[i], everybody[i]);
            (bool succeeded, bytes memory answer) = target.call(data);
            vm.assertFalse(succeeded, "is refused");
            vm.assertEq(answer, _refused(everybody[i], role), "for the missing role");
        }
        vm.prank(allowed, allowed);
        (bool done,) = target.call(data);
        vm.assertTrue(done, "is allowed");
    }

    function test_functions_of_the_coin() public {
        address target = address(coin);
        bytes memory consent = _consent("alice", ACCOUNT, NOW);
        bytes memory link = abi.encodeCall(Linkable.linkWallet, (alice, ACCOUNT, NOW, consent));
        _onlyFor(linker, target, coin.LINKER_ROLE(), link);
        _onlyFor(freezer, target, coin.FREEZER_ROLE(), abi.encodeCall(Freezable.freeze, (alice)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(Seizable.seize, (alice, 0)));
        _onlyFor(freezer, target, coin.FREEZER_ROLE(), abi.encodeCall(Freezable.unfreeze, (alice)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(Seizable.setSeizureAddress, (bob)));
        bytes memory execute = abi.encodeCall(coin.execute, (pack(_batch(_mint(alice, 1)))));
        _onlyFor(address(settlement), target, coin.SETTLER_ROLE(), execute);
        _governed(target, _newCoin());
    }

    function test_functions_of_the_settlement() public {
        address target = address(settlement);
        Limited.Limit memory limit = Limited.Limit(1, 1);
        _onlyFor(limiter, target, settlement.LIMITER_ROLE(), abi.encodeCall(Limited.setLimit, (Kind.Burn, limit)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(Limited.setCeiling, (Kind.Burn, limit)));
        bytes32 role = settlement.SIGNER_ROLE();
        vm.prank(admin);
        settlement.revokeRole(role, otherSigner);
        _onlyFor(signer, target, role, _nextCall(pack(_batch(_mint(alice, 1)))));
        _governed(target, _newSettlement());
    }

    /// @dev What both contracts have.
    function _governed(address target, address newImplementation) private {
        Governed governed = Governed(target);
        bytes32 pauserRole = governed.PAUSER_ROLE();
        bytes32 unpauserRole = governed.UNPAUSER_ROLE();
        vm.prank(otherPauser);
        governed.revokeRole(pauserRole, otherPauser);
        _onlyFor(pauser, target, pauserRole, abi.encodeCall(Governed.pause, ()));
        _onlyFor(unpauser, target, unpauserRole, abi.encodeCall(Governed.unpause, ()));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(governed.grantRole, (unpauserRole, stranger)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(governed.beginDefaultAdminTransfer, (stranger)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(governed.cancelDefaultAdminTransfer, ()));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(governed.changeDefaultAdminDelay, (1)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(governed.rollbackDefaultAdminDelay, ()));
        IERC20 token = IERC20(vm.deployCode("PlainCoin.sol:PlainCoin"));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(Rescuable.rescueToken, (token, alice, 0)));
        _onlyFor(admin, target, ADMIN, abi.encodeCall(governed.upgradeToAndCall, (newImplementation, "")));
    }

    function test_pausing_and_unpausing_are_idempotent() public {
        Governed[2] memory both = [Governed(address(coin)), Governed(address(settlement))];
        for (uint256 i = 0; i < 2; ++i) {
            vm.startPrank(pauser);
            both[i].pause();
            both[i].pause();
            vm.stopPrank();
            vm.assertTrue(both[i].paused(), "paused");
            vm.assertFalse(both[1 - i].paused(), "alone");
            vm.startPrank(unpauser);
            both[i].unpause();
            both[i].unpause();
            vm.stopPrank();
            vm.assertFalse(both[i].paused(), "unpaused");
        }
    }

    /// @dev A pauser takes every role of every contract at once, and only the admin can give them again.
    function test_a_pauser_takes_any_role_but_the_admins() public {
        _takes(coin, coin.SETTLER_ROLE(), address(settlement));
        _takes(coin, coin.LINKER_ROLE(), linker);
        _takes(coin, coin.FREEZER_ROLE(), freezer);
        _takes(coin, coin.UNPAUSER_ROLE(), unpauser);
        _takes(coin, coin.PAUSER_ROLE(), otherPauser);
        _takes(settlement, settlement.SIGNER_ROLE(), signer);
        _takes(settlement, settlement.LIMITER_ROLE(), limiter);
        _takes(settlement, settlement.UNPAUSER_ROLE(), unpauser);
        _takes(settlement, settlement.PAUSER_ROLE(), otherPauser);
    }

    function _takes(Governed from, bytes32 role, address holder) private {
        vm.assertTrue(from.hasRole(role, holder), "held it");
        vm.prank(stranger);
        vm.expectRevert(_refused(stranger, ADMIN));
        from.revokeRole(role, holder);
        vm.prank(pauser);
        from.revokeRole(role, holder);
        vm.assertFalse(from.hasRole(role, holder), "taken");
        vm.prank(pauser);
        vm.expectRevert(_refused(pauser, ADMIN));
        from.grantRole(role, holder);
        vm.prank(admin);
        from.grantRole(role, holder);
        vm.assertTrue(from.hasRole(role, holder), "given again");
        vm.prank(admin);
        from.revokeRole(role, holder);
        vm.assertFalse(from.hasRole(role, holder), "taken by the admin");
    }

    function test_nobody_takes_or_gives_the_admin_role() public {
        bytes memory refusal =
            abi.encodeWithSelector(IAccessControlDefaultAdminRules.AccessControlEnforcedDefaultAdminRules.selector);
        Governed[2] memory both = [Governed(address(coin)), Governed(address(settlement))];
        for (uint256 i = 0; i < 2; ++i) {
            address[2] memory callers = [pauser, admin];
            for (uint256 j = 0; j < 2; ++j) {
                vm.startPrank(callers[j]);
                vm.expectRevert(refusal);
                both[i].revokeRole(ADMIN, admin);
                vm.expectRevert(refusal);
                both[i].grantRole(ADMIN, stranger);
                vm.stopPrank();
            }
            vm.assertTrue(both[i].hasRole(ADMIN, admin), "still the admin");
        }
    }

    function test_a_dismissed_signer_settles_nothing_and_the_other_goes_on() public {
        bytes32 role = settlement.SIGNER_ROLE();
        vm.prank(pauser);
        settlement.revokeRole(role, signer);
        _settleReverts(_mint(alice, 1), _refused(signer, role));
        bytes memory call = _nextCall(pack(_batch(_mint(alice, 1))));
        vm.prank(otherSigner, otherSigner);
        (bool succeeded,) = address(settlement).call(call);
        vm.assertTrue(succeeded, "the other one settles");
    }

    function test_a_role_can_be_laid_down() public {
        bytes32 role = coin.FREEZER_ROLE();
        vm.prank(freezer);
        coin.renounceRole(role, freezer);
        vm.assertFalse(coin.hasRole(role, freezer), "laid down");
    }

    /// @dev Deployments are verified from these reads alone.
    function test_the_holders_of_every_role_are_listed() public view {
        _holders(coin, coin.SETTLER_ROLE(), address(settlement), address(0));
        _holders(coin, coin.LINKER_ROLE(), linker, address(0));
        _holders(coin, coin.FREEZER_ROLE(), freezer, address(0));
        _holders(coin, coin.PAUSER_ROLE(), pauser, otherPauser);
        _holders(coin, coin.UNPAUSER_ROLE(), unpauser, address(0));
        _holders(coin, ADMIN, admin, address(0));
        _holders(settlement, settlement.SIGNER_ROLE(), signer, otherSigner);
        _holders(settlement, settlement.LIMITER_ROLE(), limiter, address(0));
        _holders(settlement, settlement.PAUSER_ROLE(), pauser, otherPauser);
        _holders(settlement, settlement.UNPAUSER_ROLE(), unpauser, address(0));
        _holders(settlement, ADMIN, admin, address(0));
        vm.assertEq(coin.defaultAdmin(), admin, "admin of the coin");
        vm.assertEq(settlement.defaultAdmin(), admin, "admin of the settlement");
    }

    function _holders(Governed governed, bytes32 role, address first, address second) private view {
        address[] memory members = governed.getRoleMembers(role);
        vm.assertEq(members.length, second == address(0) ? 1 : 2, "how many");
        vm.assertEq(members[0], first, "the first");
        if (second != address(0)) vm.assertEq(members[1], second, "the second");
        vm.assertEq(governed.getRoleAdmin(role), ADMIN, "given by the admin alone");
    }

    function test_tells_its_interfaces() public view {
        vm.assertTrue(coin.supportsInterface(0x5a05180f), "IAccessControlEnumerable");
        vm.assertTrue(coin.supportsInterface(0x31498786), "IAccessControlDefaultAdminRules");
        vm.assertFalse(coin.supportsInterface(0xffffffff), "no other");
    }
}
