// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Governed} from "../shared/Governed.sol";
import {Wallets} from "./Wallets.sol";

/// @title Frozen wallets
/// @notice A frozen wallet neither sends nor receives, and spends no allowance, until it is unfrozen.
abstract contract Freezable is Governed, Wallets {
    /// @notice May freeze and unfreeze wallets.
    bytes32 public constant FREEZER_ROLE = keccak256("FREEZER_ROLE");

    /// @notice A wallet was frozen.
    /// @param wallet The wallet.
    event WalletFrozen(address indexed wallet);

    /// @notice A wallet was unfrozen.
    /// @param wallet The wallet.
    event WalletUnfrozen(address indexed wallet);

    /// @notice A transfer names a frozen wallet.
    /// @param wallet The frozen wallet.
    error FrozenWallet(address wallet);

    /// @notice Stops every movement from, to and by a wallet. Does nothing when it is frozen already.
    /// @param wallet The wallet.
    function freeze(address wallet) external onlyRole(FREEZER_ROLE) {
        if (_setFlag(wallet, FROZEN, true)) emit WalletFrozen(wallet);
    }

    /// @notice Lets a wallet move coins again. Does nothing when it is not frozen.
    /// @param wallet The wallet.
    function unfreeze(address wallet) external onlyRole(FREEZER_ROLE) {
        if (_setFlag(wallet, FROZEN, false)) emit WalletUnfrozen(wallet);
    }

    /// @notice Whether a wallet is frozen.
    /// @param wallet The wallet.
    /// @return Whether it is frozen.
    function isFrozen(address wallet) public view returns (bool) {
        return _at(wallet).word & FROZEN != 0;
    }
}
