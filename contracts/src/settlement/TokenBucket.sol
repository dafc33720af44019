// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Token bucket
/// @notice Bounds a sum per time: up to `capacity` at once, `refillPerSecond` in the long run.
/// @dev Keeps what was used rather than what is left, so that a change of the capacity takes effect at once and
/// lowering it to zero and back loses nothing.
library TokenBucket {
    using SafeCast for uint256;

    /// @notice A bucket; two storage words. An unused one is full.
    /// @param capacity The most that can be taken at once.
    /// @param refillPerSecond What becomes available again each second.
    /// @param used What was taken and not yet refilled at `updatedAt`.
    /// @param updatedAt When `used` was last written, in seconds since 1970.
    struct Bucket {
        uint128 capacity;
        uint128 refillPerSecond;
        uint128 used;
        uint64 updatedAt;
    }

    /// @notice Changes the limits. What was used before still counts, refilled at the old rate until now.
    /// @param bucket The bucket.
    /// @param capacity The new capacity, at most `type(uint128).max`.
    /// @param refillPerSecond The new refill, at most `type(uint128).max`.
    function configure(Bucket storage bucket, uint256 capacity, uint256 refillPerSecond) internal {
        bucket.used = uint128(_usedNow(bucket));
        bucket.updatedAt = uint64(block.timestamp);
        bucket.capacity = capacity.toUint128();
        bucket.refillPerSecond = refillPerSecond.toUint128();
    }

    /// @notice What can be taken now.
    /// @param bucket The bucket.
    /// @return The amount.
    function available(Bucket storage bucket) internal view returns (uint256) {
        return _left(bucket.capacity, _usedNow(bucket));
    }

    /// @notice Takes an amount if it is available.
    /// @param bucket The bucket.
    /// @param amount The amount; zero touches nothing.
    /// @return taken Whether it was taken.
    /// @return left What was available before.
    function take(Bucket storage bucket, uint256 amount) internal returns (bool taken, uint256 left) {
        if (amount == 0) return (true, 0);
        uint256 used = _usedNow(bucket);
        left = _left(bucket.capacity, used);
        if (amount > left) return (false, left);
        bucket.used = uint128(used + amount);
        bucket.updatedAt = uint64(block.timestamp);
        return (true, left);
    }

    /// @dev What is used, less what was refilled since.
    /// @param bucket The bucket.
    /// @return What is used now; never more than was used before, so it fits 128 bits.
    function _usedNow(Bucket storage bucket) private view returns (uint256) {
        uint256 refilled = (block.timestamp - bucket.updatedAt) * bucket.refillPerSecond;
        return _left(bucket.used, refilled);
    }

    /// @dev Subtraction that stops at zero.
    /// @param whole What to subtract from.
    /// @param part What to subtract.
    /// @return The difference, zero when `part` is greater.
    function _left(uint256 whole, uint256 part) private pure returns (uint256) {
        return whole > part ? whole - part : 0;
    }
}
