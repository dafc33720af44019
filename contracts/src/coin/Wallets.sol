// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title What is kept of each wallet
/// @notice One word holds a wallet's balance and its flags, so that whatever moves coins touches each wallet once.
/// @dev Bare storage. Between batches the supply is below 2^120, and a batch adds less than 2^72, so that no balance ever
/// reaches 2^128, let alone the flags.
abstract contract Wallets {
    /// @notice A wallet.
    /// @param word The balance in the lower 128 bits, flags above.
    struct Wallet {
        uint256 word;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.Wallets
    struct WalletsStorage {
        mapping(address wallet => Wallet) _wallets;
        uint256 _supply;
    }

    /// @dev Set while a wallet neither sends nor receives.
    uint256 internal constant FROZEN = 1 << 255;

    /// @dev Set while settlements may debit a wallet.
    uint256 internal constant LINKED = 1 << 254;

    /// @dev Set for the contracts that must never be credited; never cleared.
    uint256 internal constant BARRED = 1 << 253;

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Wallets")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant WALLETS_STORAGE = 0x1c5b71e390fbdf7fac18e3e48a1419f2be3ccff361a50679abe951dcb20a4f00;

    /// @notice The zero address is no wallet, and neither are the coin and the Settlement contracts.
    /// @param wallet The address.
    error NotAWallet(address wallet);

    /// @dev A wallet, to read its word and to write it.
    /// @param wallet Its address.
    /// @return Where its word is.
    function _at(address wallet) internal view returns (Wallet storage) {
        return _walletsStorage()._wallets[wallet];
    }

    /// @dev The balance within a word.
    /// @param word The word.
    /// @return Units of 10^-6 coin.
    function _balanceIn(uint256 word) internal pure returns (uint256) {
        return uint128(word);
    }

    /// @dev Writes a movement that was decided on before. Read one after the other, so that both may be the same wallet.
    /// @param debited The wallet debited; it holds at least `amount`.
    /// @param credited The wallet credited.
    /// @param amount Units of 10^-6 coin.
    function _write(Wallet storage debited, Wallet storage credited, uint256 amount) internal {
        unchecked {
            debited.word -= amount;
            credited.word += amount;
        }
    }

    /// @dev The coins in existence.
    /// @return Units of 10^-6 coin.
    function _supply() internal view returns (uint256) {
        return _walletsStorage()._supply;
    }

    /// @dev Writes the supply.
    /// @param supply Units of 10^-6 coin, below 2^120.
    function _setSupply(uint256 supply) internal {
        _walletsStorage()._supply = supply;
    }

    /// @dev Sets or clears a flag of a wallet.
    /// @param wallet The wallet.
    /// @param flag `FROZEN` or `LINKED`.
    /// @param raised Whether it is to be set.
    /// @return changed Whether it was not so before.
    function _setFlag(address wallet, uint256 flag, bool raised) internal returns (bool changed) {
        Wallet storage kept = _at(wallet);
        uint256 word = kept.word;
        if (raised && (wallet == address(0) || word & BARRED != 0)) revert NotAWallet(wallet);
        changed = (word & flag != 0) != raised;
        if (changed) kept.word = word ^ flag;
    }

    /// @dev Bars an address from ever being credited.
    /// @param contract_ The coin or a Settlement contract.
    function _bar(address contract_) internal {
        _at(contract_).word |= BARRED;
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _walletsStorage() private pure returns (WalletsStorage storage $) {
        assembly {
            $.slot := WALLETS_STORAGE
        }
    }
}
