// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Handler} from "./support/Handler.sol";
import {Model} from "./support/Model.sol";
import {Vm} from "./support/Vm.sol";

/// @title What holds after any sequence of actions
contract InvariantsTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    Handler private handler;
    Model private model;
    IERC20 private coin;

    function setUp() external {
        handler = new Handler();
        (model, coin) = (handler.model(), IERC20(handler.coinAddress()));
    }

    /// @dev Tells forge whom to call.
    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_supply_is_what_was_minted_less_what_was_burned() external view {
        vm.assertEq(coin.totalSupply(), model.minted() - model.burned(), "supply");
    }

    function invariant_supply_is_the_sum_of_the_balances() external view {
        uint256 sum;
        for (uint256 i = 0; i < handler.walletCount(); ++i) sum += coin.balanceOf(handler.wallets(i));
        vm.assertEq(coin.totalSupply(), sum, "supply");
    }

    function invariant_every_balance_is_as_the_model_says() external view {
        for (uint256 i = 0; i < handler.walletCount(); ++i) {
            address wallet = handler.wallets(i);
            vm.assertEq(coin.balanceOf(wallet), model.balance(wallet), "balance");
        }
    }

    function invariant_an_outcome_never_changes() external view {
        for (uint256 batchId = 1; batchId <= handler.settledBatches(); ++batchId) {
            vm.assertEq(handler.outcomeHash(batchId), handler.outcomes(batchId), "outcome");
        }
    }

    function invariant_no_more_is_minted_than_the_limit_allows() external view {
        uint256 elapsed = handler.clock() - 1_800_000_000;
        vm.assertLe(model.minted(), model.capacity() + elapsed * model.refillPerSecond(), "minted");
    }

    /// @dev Guards against invariants that hold because nothing ever happens.
    function test_the_actions_reach_every_outcome() external {
        for (uint256 i = 0; i < 200; ++i) {
            handler.settle(i, uint8(i));
            handler.wait_(uint16(i * 100));
            if (i % 20 == 0) handler.setFrozen(i / 20, uint8(i % 3 * 60));
            if (i % 50 == 0) handler.setPaused(uint8(i % 100));
        }
        vm.assertGe(handler.settledBatches(), 20, "batches settle");
        vm.assertGe(handler.refusedBatches(), 20, "batches are refused");
        vm.assertGe(handler.failedInstructions(), 20, "instructions fail");
        vm.assertGe(model.minted(), 1, "coins are minted");
        vm.assertGe(model.burned(), 1, "coins are burned");
    }
}
