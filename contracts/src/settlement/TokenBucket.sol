// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title Token bucket
/// @notice Bounds a sum per time: up to `capacity` at once, `refillPerSecond` in the long run.
/// @dev Keeps what was used rather than what is left, so that a change of the capacity takes effect at once and
/// lowering it to zero and back loses nothing. One storage word.
library TokenBucket {
    /// @notice A bucket. An unused one is full.
    /// @param capacity The most that can be taken at once.
    /// @param refillPerSecond What becomes available again each second.
    /// @param used What was taken and not yet refilled at `updatedAt`.
    /// @param updatedAt When `used` was last written, in seconds since 1970.
    struct Bucket {
        uint64 capacity;
        uint64 refillPerSecond;
        uint64 used;
        uint64 updatedAt;
    }

    /// @notice Changes the limits. What was used before still counts, refilled at the old rate until now.
    /// @param bucket The bucket.
    /// @param capacity The new capacity.
    /// @param refillPerSecond The new refill.
    function configure(Bucket storage bucket, uint64 capacity, uint64 refillPerSecond) internal {
        bucket.used = uint64(_usedNow(bucket));
        bucket.updatedAt = uint64(block.timestamp);
        bucket.capacity = capacity;
        bucket.refillPerSecond = refillPerSecond;
    }

    /// @notice What can be taken now.
    /// @param bucket The bucket.
    /// @return The amount.
    function available(Bucket storage bucket) internal view returns (uint256) {
        return Math.saturatingSub(bucket.capacity, _usedNow(bucket));
    }

    /// @notice Takes an amount if it is available.
    /// @param bucket The bucket.
    /// @param amount The amount; zero touches nothing.
    /// @return Whether it was taken.
    function take(Bucket storage bucket, uint256 amount) internal returns (bool) {
        if (amount == 0) return true;
        uint256 used = _usedNow(bucket) + amount;
        if (used > bucket.capacity) return false;
        bucket.used = uint64(used);
        bucket.updatedAt = uint64(block.timestamp);
        return true;
    }

    /// @dev What is used, less what was refilled since.
    /// @param bucket The bucket.
    /// @return What is used now; never more than was used before, so it fits 64 bits.
    function _usedNow(Bucket storage bucket) private view returns (uint256) {
        uint256 refilled = (block.timestamp - bucket.updatedAt) * bucket.refillPerSecond;
        return Math.saturatingSub(bucket.used, refilled);
    }
}
