// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccessControlUpgradeable} from "@openzeppelin/contracts-upgradeable/access/AccessControlUpgradeable.sol";
import {TokenBucket} from "./TokenBucket.sol";

/// @title Limits on what settlements mint and debit
/// @notice Bounds what a stolen operator key can do before it is revoked. Burns and transfers share the debit limit.
abstract contract Limited is AccessControlUpgradeable {
    using TokenBucket for TokenBucket.Bucket;

    /// @custom:storage-location erc7201:stablecoin.storage.Limited
    struct LimitedStorage {
        TokenBucket.Bucket _mint;
        TokenBucket.Bucket _debit;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Limited")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant LIMITED_STORAGE = 0x2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000;

    /// @notice The mint limit was changed.
    /// @param capacity What can be minted at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    event MintLimitSet(uint256 capacity, uint256 refillPerSecond);

    /// @notice The debit limit was changed.
    /// @param capacity What can be burned and transferred at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    event DebitLimitSet(uint256 capacity, uint256 refillPerSecond);

    /// @notice The batch would mint more than can be minted now. It can be settled later.
    /// @param requested The sum of its executable mints.
    /// @param available What can be minted now.
    error MintLimitExceeded(uint256 requested, uint256 available);

    /// @notice The batch would debit more than can be debited now. It can be settled later.
    /// @param requested The sum of its executable burns and transfers.
    /// @param available What can be debited now.
    error DebitLimitExceeded(uint256 requested, uint256 available);

    /// @notice Changes the mint limit, at once. A capacity of zero stops minting.
    /// @param capacity What can be minted at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    function setMintLimit(uint256 capacity, uint256 refillPerSecond) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setMintLimit(capacity, refillPerSecond);
    }

    /// @notice Changes the debit limit, at once. A capacity of zero stops burns and transfers.
    /// @param capacity What can be burned and transferred at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    function setDebitLimit(uint256 capacity, uint256 refillPerSecond) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setDebitLimit(capacity, refillPerSecond);
    }

    /// @notice The mint limit.
    /// @return capacity What can be minted at once, in units of 10^-6 coin.
    /// @return refillPerSecond What becomes available again each second.
    function mintLimit() external view returns (uint256 capacity, uint256 refillPerSecond) {
        TokenBucket.Bucket storage bucket = _limitedStorage()._mint;
        return (bucket.capacity, bucket.refillPerSecond);
    }

    /// @notice The debit limit.
    /// @return capacity What can be burned and transferred at once, in units of 10^-6 coin.
    /// @return refillPerSecond What becomes available again each second.
    function debitLimit() external view returns (uint256 capacity, uint256 refillPerSecond) {
        TokenBucket.Bucket storage bucket = _limitedStorage()._debit;
        return (bucket.capacity, bucket.refillPerSecond);
    }

    /// @notice What can be minted now.
    /// @return Units of 10^-6 coin.
    function mintAvailable() external view returns (uint256) {
        return _limitedStorage()._mint.available();
    }

    /// @notice What can be burned and transferred now.
    /// @return Units of 10^-6 coin.
    function debitAvailable() external view returns (uint256) {
        return _limitedStorage()._debit.available();
    }

    /// @dev Changes the mint limit.
    /// @param capacity What can be minted at once.
    /// @param refillPerSecond What becomes available again each second.
    function _setMintLimit(uint256 capacity, uint256 refillPerSecond) internal {
        _limitedStorage()._mint.configure(capacity, refillPerSecond);
        emit MintLimitSet(capacity, refillPerSecond);
    }

    /// @dev Changes the debit limit.
    /// @param capacity What can be burned and transferred at once.
    /// @param refillPerSecond What becomes available again each second.
    function _setDebitLimit(uint256 capacity, uint256 refillPerSecond) internal {
        _limitedStorage()._debit.configure(capacity, refillPerSecond);
        emit DebitLimitSet(capacity, refillPerSecond);
    }

    /// @dev Takes what a batch minted and debited; reverts when that is more than is available.
    /// @param minted The sum minted.
    /// @param debited The sum burned and transferred.
    function _take(uint256 minted, uint256 debited) internal {
        LimitedStorage storage $ = _limitedStorage();
        (bool taken, uint256 left) = $._mint.take(minted);
        if (!taken) revert MintLimitExceeded(minted, left);
        (taken, left) = $._debit.take(debited);
        if (!taken) revert DebitLimitExceeded(debited, left);
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _limitedStorage() private pure returns (LimitedStorage storage $) {
        assembly {
            $.slot := LIMITED_STORAGE
        }
    }
}
