// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {WalletFlags} from "../src/coin/WalletFlags.sol";
import {Freezable} from "../src/coin/Freezable.sol";
import {Linkable} from "../src/coin/Linkable.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title Every function behind a role is refused to everybody else
contract RolesTest is FixtureTest {
    bytes private constant ZERO_WALLET = abi.encodeWithSelector(WalletFlags.ZeroAddressWallet.selector);

    /// @dev Calls as everybody who is known, the other role holders included, except the one who may.
    function _onlyFor(address allowed, address target, bytes32 role, bytes memory data) private {
        address[9] memory everybody =
            [admin, operator, pauser, freezer, linker, stranger, alice, address(settlement), address(coin)];
        for (uint256 i = 0; i < everybody.length; ++i) {
            if (everybody[i] == allowed) continue;
            vm.prank(everybody[i]);
            (bool succeeded, bytes memory answer) = target.call(data);
            vm.assertFalse(succeeded, "is refused");
            vm.assertEq(answer, _refused(everybody[i], role), "for the missing role");
        }
        vm.prank(allowed);
        (bool done,) = target.call(data);
        vm.assertTrue(done, "is allowed");
    }

    function test_coin_functions() public {
        address target = address(coin);
        _onlyFor(linker, target, coin.LINKER_ROLE(), abi.encodeCall(Linkable.linkWallet, (alice)));
        _onlyFor(linker, target, coin.LINKER_ROLE(), abi.encodeCall(Linkable.unlinkWallet, (alice)));
        _onlyFor(freezer, target, coin.FREEZER_ROLE(), abi.encodeCall(Freezable.freeze, (alice)));
        _onlyFor(freezer, target, coin.FREEZER_ROLE(), abi.encodeCall(Freezable.unfreeze, (alice)));
        _onlyFor(pauser, target, coin.PAUSER_ROLE(), abi.encodeWithSignature("pause()"));
        _onlyFor(pauser, target, coin.PAUSER_ROLE(), abi.encodeWithSignature("unpause()"));
        _onlyFor(
            address(settlement), target, coin.SETTLER_ROLE(), abi.encodeCall(coin.execute, (_batch(_mint(alice, 1))))
        );
        bytes memory upgrade = abi.encodeWithSignature("upgradeToAndCall(address,bytes)", _newCoin(), "");
        _onlyFor(admin, target, bytes32(0), upgrade);
        bytes memory grant = abi.encodeCall(coin.grantRole, (coin.PAUSER_ROLE(), stranger));
        _onlyFor(admin, target, bytes32(0), grant);
        _onlyFor(admin, target, bytes32(0), abi.encodeCall(coin.revokeRole, (coin.PAUSER_ROLE(), stranger)));
    }

    function test_settlement_functions() public {
        address target = address(settlement);
        bytes memory settle = abi.encodeCall(settlement.settle, (1, _batch(_mint(alice, 1))));
        _onlyFor(operator, target, settlement.OPERATOR_ROLE(), settle);
        _onlyFor(admin, target, bytes32(0), abi.encodeWithSignature("setMintLimit(uint256,uint256)", 1, 1));
        _onlyFor(admin, target, bytes32(0), abi.encodeWithSignature("setDebitLimit(uint256,uint256)", 1, 1));
        bytes memory upgrade =
            abi.encodeWithSignature("upgradeToAndCall(address,bytes)", _newSettlement(), "");
        _onlyFor(admin, target, bytes32(0), upgrade);
        bytes memory grant = abi.encodeCall(settlement.grantRole, (settlement.OPERATOR_ROLE(), stranger));
        _onlyFor(admin, target, bytes32(0), grant);
    }

    function test_a_revoked_operator_settles_nothing() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        vm.prank(admin);
        settlement.revokeRole(role, operator);
        vm.expectRevert(_refused(operator, role));
        vm.prank(operator);
        settlement.settle(1, _batch(_mint(alice, 1)));
    }

    function test_several_operators_settle() public {
        bytes32 role = settlement.OPERATOR_ROLE();
        vm.prank(admin);
        settlement.grantRole(role, stranger);
        vm.prank(stranger);
        settlement.settle(77, _batch(_mint(alice, 1)));
        vm.assertEq(coin.balanceOf(alice), 1, "settled");
    }

    function test_linking_is_idempotent() public {
        vm.expectEmit(address(coin));
        emit Linkable.WalletLinked(alice);
        _link(alice);
        _link(alice);
        vm.assertTrue(coin.isLinked(alice), "linked");
        vm.assertFalse(coin.isFrozen(alice), "not frozen by that");
        vm.prank(linker);
        coin.unlinkWallet(alice);
        vm.prank(linker);
        coin.unlinkWallet(alice);
        vm.assertFalse(coin.isLinked(alice), "unlinked");
    }

    function test_freezing_is_idempotent_and_apart_from_linking() public {
        _link(alice);
        vm.expectEmit(address(coin));
        emit Freezable.WalletFrozen(alice);
        _freeze(alice);
        _freeze(alice);
        vm.assertTrue(coin.isFrozen(alice) && coin.isLinked(alice), "both");
        vm.prank(freezer);
        coin.unfreeze(alice);
        vm.prank(freezer);
        coin.unfreeze(alice);
        vm.assertFalse(coin.isFrozen(alice), "unfrozen");
        vm.assertTrue(coin.isLinked(alice), "still linked");
    }

    function test_pausing_is_idempotent() public {
        _pause();
        _pause();
        vm.assertTrue(coin.paused(), "paused");
        vm.prank(pauser);
        coin.unpause();
        vm.prank(pauser);
        coin.unpause();
        vm.assertFalse(coin.paused(), "unpaused");
    }

    function test_the_zero_address_is_no_wallet() public {
        vm.startPrank(linker);
        vm.expectRevert(ZERO_WALLET);
        coin.linkWallet(address(0));
        vm.expectRevert(ZERO_WALLET);
        coin.unlinkWallet(address(0));
        vm.stopPrank();
        vm.startPrank(freezer);
        vm.expectRevert(ZERO_WALLET);
        coin.freeze(address(0));
        vm.expectRevert(ZERO_WALLET);
        coin.unfreeze(address(0));
    }
}
