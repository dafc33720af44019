// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {GuardedERC20} from "./GuardedERC20.sol";

/// @title Seizure of frozen funds
/// @notice What a court or a regulator orders: coins of a frozen wallet go to one address that was fixed before. The
/// admin alone does both; frozen coins do not run away while its timelock waits.
abstract contract Seizable is GuardedERC20 {
    /// @custom:storage-location erc7201:stablecoin.storage.Seizable
    struct SeizableStorage {
        address _seizureAddress;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Seizable")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SEIZABLE_STORAGE = 0xdf70978560cb796de18a1cd894074aebff888eb4ac2eca6beee81e12d4d3e700;

    /// @notice Seized coins go here from now on.
    /// @param seizureAddress The address; zero when nothing can be seized.
    event SeizureAddressSet(address indexed seizureAddress);

    /// @notice Coins of a frozen wallet were seized.
    /// @param wallet The frozen wallet.
    /// @param to The seizure address.
    /// @param amount Units of 10^-6 coin.
    event FundsSeized(address indexed wallet, address indexed to, uint256 amount);

    /// @notice Only coins of a frozen wallet can be seized.
    /// @param wallet The wallet, which is not frozen.
    error NotFrozen(address wallet);

    /// @notice No seizure address was fixed.
    error NoSeizureAddress();

    /// @notice Fixes where seized coins go.
    /// @param to The address; zero when nothing can be seized.
    function setSeizureAddress(address to) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setSeizureAddress(to);
    }

    /// @notice Moves coins of a frozen wallet to the seizure address. The wallet stays frozen.
    /// @param wallet The frozen wallet.
    /// @param amount Units of 10^-6 coin.
    function seize(address wallet, uint256 amount) external onlyRole(DEFAULT_ADMIN_ROLE) whenNotPaused {
        address to = seizureAddress();
        if (to == address(0)) revert NoSeizureAddress();
        if (!isFrozen(wallet)) revert NotFrozen(wallet);
        _move(wallet, to, amount);
        emit FundsSeized(wallet, to, amount);
    }

    /// @notice Where seized coins go.
    /// @return The address; zero when nothing can be seized.
    function seizureAddress() public view returns (address) {
        return _seizableStorage()._seizureAddress;
    }

    /// @dev Fixes where seized coins go.
    /// @param to The address.
    function _setSeizureAddress(address to) internal {
        _seizableStorage()._seizureAddress = to;
        emit SeizureAddressSet(to);
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _seizableStorage() private pure returns (SeizableStorage storage $) {
        assembly {
            $.slot := SEIZABLE_STORAGE
        }
    }
}
