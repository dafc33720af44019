// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Kind} from "../src/shared/Instruction.sol";
import {Coin} from "../src/Coin.sol";
import {Handler} from "./support/Handler.sol";
import {Model} from "./support/Model.sol";
import {Vm} from "./support/Vm.sol";

/// @title What holds after any sequence of actions
contract InvariantsTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bytes32 private constant ACCOUNT = keccak256("integration 1, customer 1");
    bytes32 private constant OTHER_ACCOUNT = keccak256("integration 2, customer 1");

    Handler private handler;
    Model private model;
    Coin private coin;

    function setUp() external {
        handler = new Handler();
        (model, coin) = (handler.model(), Coin(handler.coinAddress()));
    }

    /// @dev Tells forge whom to call.
    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_supply_is_what_was_minted_less_what_was_burned() external view {
        uint256 sum;
        for (uint256 i = 0; i < handler.walletCount(); ++i) sum += coin.balanceOf(handler.wallets(i));
        vm.assertEq(coin.totalSupply(), model.minted() - model.burned(), "supply");
        vm.assertEq(coin.totalSupply(), sum, "the sum of the balances");
        vm.assertLe(model.minted(), handler.mintBound(), "no more minted than the limits allow");
    }

    function invariant_every_wallet_is_as_the_model_says_and_the_contracts_hold_nothing() external view {
        for (uint256 i = 0; i < handler.walletCount(); ++i) {
            address wallet = handler.wallets(i);
            vm.assertEq(coin.balanceOf(wallet), model.balance(wallet), "balance");
            vm.assertEq(coin.isFrozen(wallet), model.frozen(wallet), "frozen");
            vm.assertEq(coin.isLinked(wallet), model.linked(wallet), "linked");
            vm.assertEq(coin.isLinkedTo(wallet, ACCOUNT), model.linkedTo(wallet, ACCOUNT), "to one");
            vm.assertEq(coin.isLinkedTo(wallet, OTHER_ACCOUNT), model.linkedTo(wallet, OTHER_ACCOUNT), "to the other");
            if (model.barred(wallet)) vm.assertEq(coin.balanceOf(wallet), 0, "a contract of ours");
        }
        vm.assertEq(coin.balanceOf(address(0)), 0, "nobody");
    }

    function invariant_batches_run_once_in_their_order_within_the_limits() external view {
        for (uint256 batchId = 1; batchId <= handler.settledBatches(); ++batchId) {
            vm.assertEq(handler.outcomeHash(batchId), handler.outcomes(batchId), "an outcome never changes");
        }
        vm.assertEq(handler.outcomeHash(handler.settledBatches() + 1), bytes32(0), "nothing beyond the head");
        vm.assertEq(handler.headHash(), handler.runningHash(), "the head");
        for (uint8 i = 0; i < 3; ++i) {
            (uint256 capacity,,,) = model.buckets(Kind(i));
            uint256 used = model.usedNow(Kind(i), handler.clock());
            vm.assertEq(handler.availableOf(Kind(i)), capacity > used ? capacity - used : 0, "available");
        }
    }

    /// @dev Guards against invariants that hold because nothing ever happens.
    function test_the_actions_reach_every_outcome() external {
        for (uint256 i = 0; i < 200; ++i) {
            handler.settle(i, uint8(i));
            handler.settleWrongly(i, i, bytes32(i));
            handler.wait_(uint16(i * 100));
            if (i % 20 == 0) handler.setFrozen(i / 20, uint8(i % 3 * 60));
            if (i % 20 == 10) {
                handler.setFrozen(i / 20, 0);
                handler.seize(i / 20, 1);
                handler.setFrozen(i / 20, 255);
                handler.setFrozen(5, 255);
            }
            if (i % 50 == 0) handler.setPaused(uint8(i % 100), true);
            if (i % 50 == 25) handler.setPaused(uint8(i % 100), false);
        }
        vm.assertGe(handler.settledBatches(), 20, "batches settle");
        vm.assertGe(handler.refusedBatches(), 20, "batches are refused");
        vm.assertGe(handler.failedInstructions(), 20, "instructions fail");
        vm.assertGe(model.minted(), 1, "coins are minted");
        vm.assertGe(model.burned(), 1, "coins are burned");
        vm.assertGe(handler.seized(), 1, "coins are seized");
    }
}
