// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Flags kept per wallet
/// @notice Stores "linked" and "frozen" of a wallet in one word, so that a settlement reads both at the cost of one.
/// @dev Bare storage: who may set a flag is decided by `Linkable` and `Freezable`.
abstract contract WalletFlags {
    /// @notice The zero address is no wallet: it can be neither linked nor frozen.
    error ZeroAddressWallet();

    /// @custom:storage-location erc7201:stablecoin.storage.WalletFlags
    struct WalletFlagsStorage {
        mapping(address wallet => uint256 flags) _flags;
    }

    /// @dev Set while a wallet is linked.
    uint256 internal constant LINKED = 1;

    /// @dev Set while a wallet is frozen.
    uint256 internal constant FROZEN = 2;

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.WalletFlags")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant WALLET_FLAGS_STORAGE =
        0xec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400;

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _walletFlagsStorage() private pure returns (WalletFlagsStorage storage $) {
        assembly {
            $.slot := WALLET_FLAGS_STORAGE
        }
    }

    /// @dev Reads all flags of a wallet in one storage read.
    /// @param wallet The wallet; the zero address has none.
    /// @return The flags, to be tested with `LINKED` and `FROZEN`.
    function _flagsOf(address wallet) internal view returns (uint256) {
        return _walletFlagsStorage()._flags[wallet];
    }

    /// @dev Raises a flag of a wallet.
    /// @param wallet The wallet, not the zero address.
    /// @param flag `LINKED` or `FROZEN`.
    /// @return changed Whether it was lowered before.
    function _raise(address wallet, uint256 flag) internal returns (bool changed) {
        if (wallet == address(0)) revert ZeroAddressWallet();
        mapping(address => uint256) storage flags = _walletFlagsStorage()._flags;
        changed = flags[wallet] & flag == 0;
        if (changed) flags[wallet] |= flag;
    }

    /// @dev Lowers a flag of a wallet.
    /// @param wallet The wallet, not the zero address.
    /// @param flag `LINKED` or `FROZEN`.
    /// @return changed Whether it was raised before.
    function _lower(address wallet, uint256 flag) internal returns (bool changed) {
        if (wallet == address(0)) revert ZeroAddressWallet();
        mapping(address => uint256) storage flags = _walletFlagsStorage()._flags;
        changed = flags[wallet] & flag != 0;
        if (changed) flags[wallet] &= ~flag;
    }
}
