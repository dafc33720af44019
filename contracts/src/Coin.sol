// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {Settleable} from "./coin/Settleable.sol";

/// @title Coin
/// @notice A ringgit-backed ERC-20 of 6 decimals with ERC-2612 permits. It can be paused, wallets can be frozen, and
/// only settlements create and destroy coins. Upgradeable (UUPS), with its storage namespaced (ERC-7201).
contract Coin is Settleable, UUPSUpgradeable {
    /// @notice An initial role holder is the zero address.
    error ZeroAddressRole();

    /// @dev The implementation behind the proxy can never be initialised itself.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() {
        _disableInitializers();
    }

    /// @notice Sets up the coin, once. Nobody is a settler yet: the admin grants that to the Settlement contract.
    /// @param name_ The name, also the name of the EIP-712 domain of permits.
    /// @param symbol_ The symbol.
    /// @param admin Grants and revokes roles, and upgrades.
    /// @param pauser Pauses and unpauses.
    /// @param freezer Freezes and unfreezes wallets.
    /// @param linker Links and unlinks wallets.
    function initialize(
        string calldata name_,
        string calldata symbol_,
        address admin,
        address pauser,
        address freezer,
        address linker
    ) external initializer {
        __ERC20_init(name_, symbol_);
        __ERC20Permit_init(name_);
        _appoint(DEFAULT_ADMIN_ROLE, admin);
        _appoint(PAUSER_ROLE, pauser);
        _appoint(FREEZER_ROLE, freezer);
        _appoint(LINKER_ROLE, linker);
    }

    /// @dev Grants a role to its first holder.
    /// @param role The role.
    /// @param holder The holder, not the zero address.
    function _appoint(bytes32 role, address holder) private {
        if (holder == address(0)) revert ZeroAddressRole();
        _grantRole(role, holder);
    }

    /// @dev Only the admin upgrades.
    /// @param newImplementation The implementation to run from now on.
    function _authorizeUpgrade(address newImplementation) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}
}
