// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Governed} from "../shared/Governed.sol";
import {Kind} from "../shared/Instruction.sol";
import {TokenBucket} from "./TokenBucket.sol";

/// @title Limits on what settlements mint, burn and transfer
/// @notice Bounds what a stolen signing key can do before it is dismissed. Each kind has a bucket of its own, so that
/// using up one leaves the others as they are. The limiter sets limits below ceilings that only the admin sets.
abstract contract Limited is Governed {
    using TokenBucket for TokenBucket.Bucket;

    /// @notice The numbers of a limit or a ceiling.
    /// @param capacity What can be settled at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    struct Limit {
        uint64 capacity;
        uint64 refillPerSecond;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.Limited
    struct LimitedStorage {
        mapping(Kind kind => TokenBucket.Bucket) _buckets;
        mapping(Kind kind => Limit) _ceilings;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Limited")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant LIMITED_STORAGE = 0x2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000;

    /// @notice May set limits up to the ceilings.
    bytes32 public constant LIMITER_ROLE = keccak256("LIMITER_ROLE");

    /// @notice A limit was changed.
    /// @param kind What it limits.
    /// @param capacity What can be settled at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    event LimitSet(Kind indexed kind, uint64 capacity, uint64 refillPerSecond);

    /// @notice A ceiling was changed.
    /// @param kind Whose limit it bounds.
    /// @param capacity The greatest capacity of the limit.
    /// @param refillPerSecond The greatest refill of the limit.
    event CeilingSet(Kind indexed kind, uint64 capacity, uint64 refillPerSecond);

    /// @notice The batch would settle more of a kind than can be settled now. It can be settled later.
    /// @param kind The kind.
    /// @param requested The sum of its executable instructions of that kind.
    /// @param available What can be settled now.
    error LimitExceeded(Kind kind, uint256 requested, uint256 available);

    /// @notice A limit is above its ceiling.
    /// @param kind The kind.
    /// @param capacity The capacity of the ceiling.
    /// @param refillPerSecond The refill of the ceiling.
    error AboveCeiling(Kind kind, uint64 capacity, uint64 refillPerSecond);

    /// @notice Changes a limit, at once. A capacity of zero stops that kind.
    /// @param kind What it limits.
    /// @param limit The limit, not above the ceiling.
    function setLimit(Kind kind, Limit calldata limit) external onlyRole(LIMITER_ROLE) {
        _setLimit(kind, limit);
    }

    /// @notice Changes a ceiling, at once; a limit above it comes down to it.
    /// @param kind Whose limit it bounds.
    /// @param ceiling The ceiling.
    function setCeiling(Kind kind, Limit calldata ceiling) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCeiling(kind, ceiling);
        TokenBucket.Bucket storage bucket = _limitedStorage()._buckets[kind];
        uint64 capacity = uint64(Math.min(bucket.capacity, ceiling.capacity));
        uint64 refillPerSecond = uint64(Math.min(bucket.refillPerSecond, ceiling.refillPerSecond));
        bool isLower = capacity != bucket.capacity || refillPerSecond != bucket.refillPerSecond;
        if (isLower) _setLimit(kind, Limit(capacity, refillPerSecond));
    }

    /// @notice A limit.
    /// @param kind What it limits.
    /// @return The limit.
    function limitOf(Kind kind) external view returns (Limit memory) {
        TokenBucket.Bucket storage bucket = _limitedStorage()._buckets[kind];
        return Limit(bucket.capacity, bucket.refillPerSecond);
    }

    /// @notice A ceiling.
    /// @param kind Whose limit it bounds.
    /// @return The ceiling.
    function ceilingOf(Kind kind) external view returns (Limit memory) {
        return _limitedStorage()._ceilings[kind];
    }

    /// @notice What can be settled now.
    /// @param kind The kind.
    /// @return Units of 10^-6 coin.
    function availableOf(Kind kind) external view returns (uint256) {
        return _limitedStorage()._buckets[kind].available();
    }

    /// @dev Changes a limit.
    /// @param kind What it limits.
    /// @param limit The limit.
    function _setLimit(Kind kind, Limit memory limit) internal {
        Limit memory ceiling = _limitedStorage()._ceilings[kind];
        if (limit.capacity > ceiling.capacity || limit.refillPerSecond > ceiling.refillPerSecond) {
            revert AboveCeiling(kind, ceiling.capacity, ceiling.refillPerSecond);
        }
        _limitedStorage()._buckets[kind].configure(limit.capacity, limit.refillPerSecond);
        emit LimitSet(kind, limit.capacity, limit.refillPerSecond);
    }

    /// @dev Changes a ceiling.
    /// @param kind Whose limit it bounds.
    /// @param ceiling The ceiling.
    function _setCeiling(Kind kind, Limit calldata ceiling) internal {
        _limitedStorage()._ceilings[kind] = ceiling;
        emit CeilingSet(kind, ceiling.capacity, ceiling.refillPerSecond);
    }

    /// @dev Takes what a batch settled of a kind; reverts when that is more than is available.
    /// @param kind The kind.
    /// @param sum The sum of its executed instructions of that kind.
    function _take(Kind kind, uint256 sum) internal {
        TokenBucket.Bucket storage bucket = _limitedStorage()._buckets[kind];
        if (!bucket.take(sum)) revert LimitExceeded(kind, sum, bucket.available());
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _limitedStorage() private pure returns (LimitedStorage storage $) {
        assembly {
            $.slot := LIMITED_STORAGE
        }
    }
}
