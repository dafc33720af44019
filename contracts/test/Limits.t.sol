// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Limited} from "../src/settlement/Limited.sol";
import {Instruction} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title On-chain limits hold
contract LimitsTest is FixtureTest {
    function _expectMintRefused(uint256 amount, uint256 available) private {
        vm.expectRevert(abi.encodeWithSelector(Limited.MintLimitExceeded.selector, amount, available));
        vm.prank(operator);
        settlement.settle(1_000_000, _batch(_mint(alice, amount)));
        (bool settled,,) = settlement.outcomeOf(1_000_000);
        vm.assertFalse(settled, "can be settled later");
    }

    function _expectDebitRefused(Instruction memory instruction, uint256 amount, uint256 available) private {
        vm.expectRevert(abi.encodeWithSelector(Limited.DebitLimitExceeded.selector, amount, available));
        vm.prank(operator);
        settlement.settle(1_000_000, _batch(instruction));
    }

    function _setMintLimit(uint256 capacity, uint256 refill) private {
        vm.prank(admin);
        settlement.setMintLimit(capacity, refill);
    }

    function test_starts_full() public view {
        vm.assertEq(settlement.mintAvailable(), CAPACITY, "mint");
        vm.assertEq(settlement.debitAvailable(), CAPACITY, "debit");
        (uint256 capacity, uint256 refill) = settlement.mintLimit();
        vm.assertEq(capacity, CAPACITY, "capacity");
        vm.assertEq(refill, REFILL, "refill");
        (capacity, refill) = settlement.debitLimit();
        vm.assertEq(capacity, CAPACITY, "debit capacity");
        vm.assertEq(refill, REFILL, "debit refill");
    }

    function test_a_batch_over_the_limit_reverts_and_settles_after_the_refill() public {
        _give(alice, CAPACITY);
        _expectMintRefused(REFILL, 0);
        vm.warp(NOW + 1);
        vm.assertEq(settlement.mintAvailable(), REFILL, "refilled");
        _expectMintRefused(REFILL + 1, REFILL);
        _give(alice, REFILL);
    }

    function test_the_sum_of_a_batch_counts() public {
        uint256 third = CAPACITY / 3 + 1;
        Instruction[] memory batch = _batch(_mint(alice, third), _mint(bob, third), _mint(carol, third));
        vm.expectRevert(abi.encodeWithSelector(Limited.MintLimitExceeded.selector, third * 3, CAPACITY));
        vm.prank(operator);
        settlement.settle(1, batch);
        vm.assertEq(coin.totalSupply(), 0, "nothing minted");
    }

    function test_failed_instructions_use_nothing() public {
        _settle(_burn(alice, 5e6));
        _settle(_mint(address(0), 5e6));
        vm.assertEq(settlement.mintAvailable(), CAPACITY, "mint");
        vm.assertEq(settlement.debitAvailable(), CAPACITY, "debit");
    }

    function test_burns_and_transfers_share_the_debit_limit() public {
        _give(alice, CAPACITY);
        vm.warp(NOW + CAPACITY);
        _give(alice, CAPACITY);
        _link(alice);
        vm.assertTrue(_settle(_burn(alice, CAPACITY / 2)), "burn");
        vm.assertTrue(_settle(_transfer(alice, bob, CAPACITY / 4)), "transfer");
        vm.assertEq(settlement.debitAvailable(), CAPACITY / 4, "both counted");
        _expectDebitRefused(_burn(alice, CAPACITY / 4 + 1), CAPACITY / 4 + 1, CAPACITY / 4);
        _expectDebitRefused(_transfer(alice, bob, CAPACITY / 4 + 1), CAPACITY / 4 + 1, CAPACITY / 4);
    }

    function test_never_holds_more_than_the_capacity() public {
        _give(alice, 1);
        vm.warp(NOW + 365 days);
        vm.assertEq(settlement.mintAvailable(), CAPACITY, "full, not more");
    }

    function test_a_changed_capacity_takes_effect_at_once() public {
        _give(alice, 300e6);
        vm.expectEmit(address(settlement));
        emit Limited.MintLimitSet(0, 0);
        _setMintLimit(0, 0);
        vm.assertEq(settlement.mintAvailable(), 0, "stopped");
        _expectMintRefused(1, 0);
        _setMintLimit(1_000e6, 0);
        vm.assertEq(settlement.mintAvailable(), 700e6, "what was used still counts");
        _setMintLimit(200e6, 0);
        vm.assertEq(settlement.mintAvailable(), 0, "used more than the new capacity");
        vm.prank(admin);
        settlement.setDebitLimit(7, 1);
        vm.assertEq(settlement.debitAvailable(), 7, "the other one apart");
    }

    function test_a_changed_refill_counts_from_now() public {
        _give(alice, CAPACITY);
        vm.warp(NOW + 10);
        _setMintLimit(CAPACITY, 0);
        vm.assertEq(settlement.mintAvailable(), 10 * REFILL, "refilled at the old rate until now");
        vm.warp(NOW + 1_000);
        vm.assertEq(settlement.mintAvailable(), 10 * REFILL, "then no more");
    }

    function test_limits_beyond_128_bits_are_refused() public {
        uint256 tooLarge = uint256(type(uint128).max) + 1;
        bytes memory refusal = abi.encodeWithSelector(SafeCast.SafeCastOverflowedUintDowncast.selector, 128, tooLarge);
        vm.startPrank(admin);
        vm.expectRevert(refusal);
        settlement.setMintLimit(tooLarge, 0);
        vm.expectRevert(refusal);
        settlement.setDebitLimit(0, tooLarge);
        settlement.setMintLimit(type(uint128).max, type(uint128).max);
        vm.stopPrank();
        vm.warp(type(uint64).max - 1);
        vm.assertEq(settlement.mintAvailable(), type(uint128).max, "no overflow");
        _give(alice, type(uint128).max);
        vm.warp(type(uint64).max);
        _give(alice, type(uint128).max);
        vm.assertEq(coin.totalSupply(), 2 * uint256(type(uint128).max), "supply");
    }

    /// @dev Over any time, no more is minted than the capacity and the refill allow.
    function testFuzz_bounds_what_is_minted(uint64[20] memory amounts, uint16[20] memory waits) public {
        uint256 elapsed;
        for (uint256 i = 0; i < amounts.length; ++i) {
            elapsed += waits[i];
            vm.warp(NOW + elapsed);
            uint256 available = settlement.mintAvailable();
            uint256 amount = _within(amounts[i], 1, CAPACITY);
            if (amount > available) _expectMintRefused(amount, available);
            else _give(alice, amount);
            vm.assertLe(coin.totalSupply(), CAPACITY + elapsed * REFILL, "bounded");
        }
    }
}
