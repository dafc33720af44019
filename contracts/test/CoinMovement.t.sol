// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {Freezable} from "../src/coin/Freezable.sol";
import {Wallets} from "../src/coin/Wallets.sol";
import {Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {pack} from "./support/Instructions.sol";

/// @title What holders may do, and that nothing moves when paused or frozen
contract CoinMovementTest is FixtureTest {
    bytes private constant PAUSED = abi.encodeWithSelector(PausableUpgradeable.EnforcedPause.selector);

    function setUp() public override {
        super.setUp();
        _give(alice, 100e6);
        _give(bob, 100e6);
        vm.prank(alice);
        coin.approve(carol, type(uint256).max);
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
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(alice, bob, amount);
        vm.prank(alice);
        coin.transfer(bob, amount);
        vm.assertEq(coin.balanceOf(alice), 100e6 - amount, "sender");
        vm.assertEq(coin.balanceOf(bob), 100e6 + amount, "recipient");
        vm.assertEq(coin.totalSupply(), 200e6, "supply");
    }

    function testFuzz_refuses_more_than_there_is(uint256 excess) public {
        uint256 amount = _within(excess, 100e6 + 1, type(uint256).max);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 100e6, amount)
        );
        vm.prank(alice);
        coin.transfer(bob, amount);
    }

    function test_a_transfer_to_oneself_changes_nothing() public {
        vm.prank(alice);
        coin.transfer(alice, 100e6);
        vm.assertEq(coin.balanceOf(alice), 100e6, "unchanged");
        vm.expectRevert();
        vm.prank(alice);
        coin.transfer(alice, 100e6 + 1);
    }

    function test_a_transfer_leaves_flags_alone() public {
        _link("alice");
        vm.prank(alice);
        coin.transfer(bob, 100e6);
        vm.assertTrue(coin.isLinked(alice), "the sender's");
        vm.prank(bob);
        coin.transfer(alice, 200e6);
        vm.assertTrue(coin.isLinked(alice), "the recipient's");
        vm.assertFalse(coin.isLinked(bob) || coin.isFrozen(alice) || coin.isFrozen(bob), "no other");
        vm.assertEq(coin.balanceOf(alice), 200e6, "balance without flags");
    }

    function test_nothing_is_credited_to_the_contracts_themselves() public {
        address[2] memory contracts = [address(coin), address(settlement)];
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory refusal = abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, contracts[i]);
            vm.expectRevert(refusal);
            vm.prank(alice);
            coin.transfer(contracts[i], 1);
            vm.expectRevert(refusal);
            vm.prank(carol);
            coin.transferFrom(alice, contracts[i], 1);
        }
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(0)));
        vm.prank(alice);
        coin.transfer(address(0), 1);
    }

    function test_a_new_settler_is_barred_and_an_old_one_stays_so() public {
        bytes32 role = coin.SETTLER_ROLE();
        vm.prank(admin);
        coin.grantRole(role, stranger);
        vm.prank(pauser);
        coin.revokeRole(role, stranger);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, stranger));
        vm.prank(alice);
        coin.transfer(stranger, 1);
        bytes32 other = coin.FREEZER_ROLE();
        vm.prank(admin);
        coin.grantRole(other, carol);
        vm.prank(alice);
        coin.transfer(carol, 1);
    }

    function test_an_allowance_is_spent() public {
        vm.prank(bob);
        coin.approve(carol, 30e6);
        vm.prank(carol);
        coin.transferFrom(bob, alice, 20e6);
        vm.assertEq(coin.allowance(bob, carol), 10e6, "what is left of it");
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, carol, 10e6, 11e6));
        vm.prank(carol);
        coin.transferFrom(bob, alice, 11e6);
    }

    function test_nothing_moves_while_paused() public {
        _link("alice");
        _pause();
        vm.expectRevert(PAUSED);
        vm.prank(alice);
        coin.transfer(bob, 1);
        vm.expectRevert(PAUSED);
        vm.prank(carol);
        coin.transferFrom(alice, bob, 1);
        vm.expectRevert(PAUSED);
        vm.prank(address(settlement));
        coin.execute(pack(_batch(_burn(alice, 1))));
        _unpause();
        vm.prank(carol);
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
        _link("alice");
        _settleFails(_transfer(alice, bob, 1), Reason.Frozen);
    }

    function test_a_frozen_spender_spends_nothing() public {
        _freeze(carol);
        vm.expectRevert(_frozen(carol));
        vm.prank(carol);
        coin.transferFrom(alice, bob, 1);
    }

    function test_freezing_is_idempotent_and_apart_from_linking() public {
        _link("alice");
        vm.expectEmit(address(coin));
        emit Freezable.WalletFrozen(alice);
        _freeze(alice);
        vm.recordLogs();
        _freeze(alice);
        vm.assertEq(vm.getRecordedLogs().length, 0, "nothing happens twice");
        vm.assertTrue(coin.isFrozen(alice) && coin.isLinked(alice), "both");
        vm.expectEmit(address(coin));
        emit Freezable.WalletUnfrozen(alice);
        vm.startPrank(freezer);
        coin.unfreeze(alice);
        vm.recordLogs();
        coin.unfreeze(alice);
        vm.stopPrank();
        vm.assertEq(vm.getRecordedLogs().length, 0, "nothing happens twice");
        vm.assertFalse(coin.isFrozen(alice), "unfrozen");
        vm.assertTrue(coin.isLinked(alice), "still linked");
        vm.prank(alice);
        coin.transfer(bob, 100e6);
        vm.assertEq(coin.balanceOf(alice), 0, "moves again");
    }

    function test_what_is_no_wallet_is_not_frozen() public {
        address[3] memory none = [address(0), address(coin), address(settlement)];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(abi.encodeWithSelector(Wallets.NotAWallet.selector, none[i]));
            _freeze(none[i]);
        }
    }

    function test_an_allowance_can_be_revoked_while_paused_or_frozen() public {
        _pause();
        _freeze(alice);
        vm.prank(alice);
        coin.approve(carol, 0);
        vm.assertEq(coin.allowance(alice, carol), 0, "revoked");
    }
}
