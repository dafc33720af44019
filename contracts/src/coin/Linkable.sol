// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccessControlUpgradeable} from "@openzeppelin/contracts-upgradeable/access/AccessControlUpgradeable.sol";
import {WalletFlags} from "./WalletFlags.sol";

/// @title Linked wallets
/// @notice Only a linked wallet can be debited by a settlement. The linker is another key than the operator's, so a
/// stolen operator key cannot reach the coins of anybody who was never onboarded.
abstract contract Linkable is AccessControlUpgradeable, WalletFlags {
    /// @notice May link and unlink wallets.
    bytes32 public constant LINKER_ROLE = keccak256("LINKER_ROLE");

    /// @notice A wallet can be debited by settlements from now on.
    /// @param wallet The wallet.
    event WalletLinked(address indexed wallet);

    /// @notice A wallet can no longer be debited by settlements.
    /// @param wallet The wallet.
    event WalletUnlinked(address indexed wallet);

    /// @notice Lets settlements debit a wallet. Does nothing when it is linked already.
    /// @param wallet The wallet, not the zero address.
    function linkWallet(address wallet) external onlyRole(LINKER_ROLE) {
        if (_raise(wallet, LINKED)) emit WalletLinked(wallet);
    }

    /// @notice Stops settlements from debiting a wallet. Does nothing when it is not linked.
    /// @param wallet The wallet, not the zero address.
    function unlinkWallet(address wallet) external onlyRole(LINKER_ROLE) {
        if (_lower(wallet, LINKED)) emit WalletUnlinked(wallet);
    }

    /// @notice Whether settlements may debit a wallet.
    /// @param wallet The wallet.
    /// @return Whether it is linked.
    function isLinked(address wallet) external view returns (bool) {
        return _flagsOf(wallet) & LINKED != 0;
    }
}
