// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Limited} from "../src/settlement/Limited.sol";
import {Kind} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {Instruction, pack} from "./support/Instructions.sol";

/// @title On-chain limits hold, one for each kind, below ceilings
contract LimitsTest is FixtureTest {
    function _exceeded(Kind kind, uint256 requested, uint256 available) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Limited.LimitExceeded.selector, kind, requested, available);
    }

    function _setLimit(Kind kind, uint64 capacity, uint64 refill) private {
        vm.prank(limiter);
        settlement.setLimit(kind, Limited.Limit(capacity, refill));
    }

    function _setCeiling(Kind kind, uint64 capacity, uint64 refill) private {
        vm.prank(admin);
        settlement.setCeiling(kind, Limited.Limit(capacity, refill));
    }

    function _expectLimit(Kind kind, uint64 capacity, uint64 refill) private view {
        Limited.Limit memory limit = settlement.limitOf(kind);
        vm.assertEq(limit.capacity, capacity, "capacity");
        vm.assertEq(limit.refillPerSecond, refill, "refill");
    }

    /// @dev Alice holds enough for every test, is linked, and all buckets are full.
    function _fund() private {
        _link("alice");
        for (uint256 i = 0; i < 3; ++i) {
            _give(alice, _limitOf(Kind.Mint).capacity);
            vm.warp(NOW + (i + 1) * 1e6);
        }
    }

    function _instruction(Kind kind, uint256 amount) private view returns (Instruction memory) {
        if (kind == Kind.Mint) return _mint(bob, amount);
        return kind == Kind.Burn ? _burn(alice, amount) : _transfer(alice, bob, amount);
    }

    function test_starts_full_with_the_limits_and_ceilings_given() public view {
        for (uint256 i = 0; i < 3; ++i) {
            Limited.Limit memory limit = _limitOf(Kind(i));
            _expectLimit(Kind(i), limit.capacity, limit.refillPerSecond);
            vm.assertEq(settlement.availableOf(Kind(i)), limit.capacity, "full");
            Limited.Limit memory ceiling = settlement.ceilingOf(Kind(i));
            vm.assertEq(ceiling.capacity, CEILING, "ceiling");
            vm.assertEq(ceiling.refillPerSecond, CEILING_REFILL, "refill of the ceiling");
        }
    }

    function testFuzz_each_kind_uses_its_own_bucket_and_no_other(uint8 which, uint256 amount) public {
        _fund();
        Kind kind = Kind(which % 3);
        amount = _within(amount, 1, _limitOf(kind).capacity);
        vm.assertTrue(_settle(_instruction(kind, amount)), "settles");
        for (uint256 i = 0; i < 3; ++i) {
            uint256 used = Kind(i) == kind ? amount : 0;
            vm.assertEq(settlement.availableOf(Kind(i)), _limitOf(Kind(i)).capacity - used, "available");
        }
    }

    function test_more_than_is_available_reverts_and_settles_after_the_refill() public {
        _fund();
        uint256 time = NOW + 3e6;
        for (uint256 i = 0; i < 3; ++i) {
            (Kind kind, Limited.Limit memory limit) = (Kind(i), _limitOf(Kind(i)));
            Instruction memory tooMuch = _instruction(kind, uint256(limit.capacity) + 1);
            _settleReverts(tooMuch, _exceeded(kind, uint256(limit.capacity) + 1, limit.capacity));
            vm.assertTrue(_settle(_instruction(kind, limit.capacity)), "all of it");
            uint256 refill = limit.refillPerSecond;
            _settleReverts(_instruction(kind, refill), _exceeded(kind, refill, 0));
            vm.warp(++time);
            vm.assertEq(settlement.availableOf(kind), refill, "refilled");
            _settleReverts(_instruction(kind, refill + 1), _exceeded(kind, refill + 1, refill));
            vm.assertTrue(_settle(_instruction(kind, refill)), "after the refill");
        }
    }

    function test_the_sum_of_a_batch_counts() public {
        uint256 third = _limitOf(Kind.Mint).capacity / 3 + 1;
        Instruction[] memory batch = _batch(_mint(alice, third), _mint(bob, third), _mint(carol, third));
        _settleReverts(pack(batch), _exceeded(Kind.Mint, third * 3, _limitOf(Kind.Mint).capacity));
        vm.assertEq(coin.totalSupply(), 0, "nothing minted");
    }

    function test_the_sum_of_the_greatest_amounts_does_not_overflow() public {
        Instruction[] memory batch = new Instruction[](255);
        for (uint256 i = 0; i < 255; ++i) batch[i] = _mint(alice, type(uint64).max);
        uint256 sum = 255 * uint256(type(uint64).max);
        _settleReverts(pack(batch), _exceeded(Kind.Mint, sum, _limitOf(Kind.Mint).capacity));
    }

    function test_failed_instructions_use_nothing() public {
        _settle(_batch(_burn(alice, 5e6), _transfer(alice, bob, 5e6), _mint(address(0), 5e6)));
        for (uint256 i = 0; i < 3; ++i) {
            vm.assertEq(settlement.availableOf(Kind(i)), _limitOf(Kind(i)).capacity, "full");
        }
    }

    function test_never_holds_more_than_the_capacity() public {
        _give(alice, 1);
        vm.warp(NOW + 365 days);
        vm.assertEq(settlement.availableOf(Kind.Mint), _limitOf(Kind.Mint).capacity, "full, not more");
    }

    function test_a_changed_capacity_takes_effect_at_once() public {
        _give(alice, 300e6);
        vm.expectEmit(address(settlement));
        emit Limited.LimitSet(Kind.Mint, 0, 0);
        _setLimit(Kind.Mint, 0, 0);
        _expectLimit(Kind.Mint, 0, 0);
        vm.assertEq(settlement.availableOf(Kind.Mint), 0, "stopped");
        _settleReverts(_mint(alice, 1), _exceeded(Kind.Mint, 1, 0));
        _setLimit(Kind.Mint, 1_000e6, 0);
        vm.assertEq(settlement.availableOf(Kind.Mint), 700e6, "what was used still counts");
        _setLimit(Kind.Mint, 200e6, 0);
        vm.assertEq(settlement.availableOf(Kind.Mint), 0, "used more than the new capacity");
        vm.expectEmit(address(settlement));
        emit Limited.LimitSet(Kind.Burn, 7, 1);
        _setLimit(Kind.Burn, 7, 1);
        vm.assertEq(settlement.availableOf(Kind.Burn), 7, "the others apart");
        vm.assertEq(settlement.availableOf(Kind.Transfer), _limitOf(Kind.Transfer).capacity, "untouched");
    }

    /// @dev What was used is refilled at the old rate until the change, at the new one from then on.
    function test_a_changed_refill_counts_from_now() public {
        (uint64 capacity, uint64 refill) = (_limitOf(Kind.Mint).capacity, _limitOf(Kind.Mint).refillPerSecond);
        _give(alice, capacity);
        vm.warp(NOW + 10);
        _setLimit(Kind.Mint, capacity, 1);
        vm.assertEq(settlement.availableOf(Kind.Mint), 10 * refill, "at the old rate until now");
        vm.warp(NOW + 1_010);
        vm.assertEq(settlement.availableOf(Kind.Mint), 10 * refill + 1_000, "then at the new one");
        _give(alice, 5);
        vm.assertEq(settlement.availableOf(Kind.Mint), 10 * refill + 995, "taken from that");
    }

    function test_the_limiter_stays_below_the_ceiling() public {
        bytes memory refusal =
            abi.encodeWithSelector(Limited.AboveCeiling.selector, Kind.Burn, CEILING, CEILING_REFILL);
        vm.expectRevert(refusal);
        _setLimit(Kind.Burn, CEILING + 1, 0);
        vm.expectRevert(refusal);
        _setLimit(Kind.Burn, 0, CEILING_REFILL + 1);
        _setLimit(Kind.Burn, CEILING, CEILING_REFILL);
        _expectLimit(Kind.Burn, CEILING, CEILING_REFILL);
    }

    function test_a_lowered_ceiling_takes_the_limit_down() public {
        vm.expectEmit(address(settlement));
        emit Limited.CeilingSet(Kind.Mint, 500e6, CEILING_REFILL);
        vm.expectEmit(address(settlement));
        emit Limited.LimitSet(Kind.Mint, 500e6, 10e6);
        _setCeiling(Kind.Mint, 500e6, CEILING_REFILL);
        _expectLimit(Kind.Mint, 500e6, 10e6);
        _setCeiling(Kind.Mint, 500e6, 3);
        _expectLimit(Kind.Mint, 500e6, 3);
        _expectLimit(Kind.Burn, 800_000e6, 8e6);
        vm.recordLogs();
        _setCeiling(Kind.Mint, 500e6, 3);
        vm.assertEq(vm.getRecordedLogs().length, 1, "one that equals the limit leaves it");
        vm.recordLogs();
        _setCeiling(Kind.Mint, 600e6, 4);
        vm.assertEq(vm.getRecordedLogs().length, 1, "a raised ceiling leaves the limit");
        _expectLimit(Kind.Mint, 500e6, 3);
        vm.assertEq(settlement.ceilingOf(Kind.Mint).capacity, 600e6, "ceiling");
        vm.assertEq(settlement.ceilingOf(Kind.Mint).refillPerSecond, 4, "refill of the ceiling");
        _setLimit(Kind.Mint, 600e6, 4);
    }

    function test_lowering_the_ceiling_keeps_what_was_used() public {
        _give(alice, 400e6);
        _setCeiling(Kind.Mint, 500e6, 0);
        vm.assertEq(settlement.availableOf(Kind.Mint), 100e6, "the rest");
    }

    function test_the_greatest_numbers_do_not_overflow() public {
        _setCeiling(Kind.Mint, type(uint64).max, type(uint64).max);
        _setLimit(Kind.Mint, type(uint64).max, type(uint64).max);
        vm.warp(type(uint64).max - 1);
        vm.assertEq(settlement.availableOf(Kind.Mint), type(uint64).max, "no overflow");
        _give(alice, type(uint64).max);
        vm.assertEq(settlement.availableOf(Kind.Mint), 0, "all used");
        vm.warp(type(uint64).max);
        _give(alice, type(uint64).max);
        vm.assertEq(coin.totalSupply(), 2 * uint256(type(uint64).max), "supply");
    }

    /// @dev Over any time, no more is minted than the capacity and the refill allow.
    function testFuzz_bounds_what_is_minted(uint64[20] memory amounts, uint16[20] memory waits) public {
        (uint256 capacity, uint256 refill) = (_limitOf(Kind.Mint).capacity, _limitOf(Kind.Mint).refillPerSecond);
        uint256 elapsed;
        for (uint256 i = 0; i < amounts.length; ++i) {
            elapsed += waits[i];
            vm.warp(NOW + elapsed);
            uint256 available = settlement.availableOf(Kind.Mint);
            uint256 amount = _within(amounts[i], 1, capacity);
            if (amount > available) _settleReverts(_mint(alice, amount), _exceeded(Kind.Mint, amount, available));
            else _give(alice, amount);
            vm.assertLe(coin.totalSupply(), capacity + elapsed * refill, "bounded");
        }
    }
}
