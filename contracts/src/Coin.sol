// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Linkable} from "./coin/Linkable.sol";
import {Seizable} from "./coin/Seizable.sol";
import {Settleable} from "./coin/Settleable.sol";
import {Rescuable} from "./shared/Rescuable.sol";

/// @title Coin
/// @notice A ringgit-backed ERC-20 of 6 decimals. It can be paused, wallets can be frozen, only settlements create and
/// destroy coins, and only of wallets whose holders consented. Upgradeable (UUPS), with its storage namespaced (ERC-7201).
contract Coin is Settleable, Seizable, Linkable, Rescuable {
    /// @notice How a coin begins.
    /// @param name The name, also the name of the EIP-712 domain of permits and consents.
    /// @param symbol The symbol.
    /// @param admin Gives and takes roles, upgrades, seizes and rescues. A timelock.
    /// @param settler The Settlement contract; it may not exist yet.
    /// @param linkers Link wallets with their holders' consent.
    /// @param freezers Freeze wallets.
    /// @param pausers Stop the coin, and take roles away.
    /// @param unpausers End the stop.
    /// @param seizureAddress Where seized coins go; zero when none can be seized until the admin says where to.
    /// @param consentWaived Whether the linker links without consent, for good. For test chains.
    struct Beginning {
        string name;
        string symbol;
        address admin;
        address settler;
        address[] linkers;
        address[] freezers;
        address[] pausers;
        address[] unpausers;
        address seizureAddress;
        bool consentWaived;
    }

    /// @notice Sets up the coin, once.
    /// @param beginning How it begins.
    function initialize(Beginning calldata beginning) external initializer {
        __ERC20_init(beginning.name, beginning.symbol);
        __ERC20Permit_init(beginning.name);
        __Governed_init(beginning.admin, beginning.pausers, beginning.unpausers);
        _bar(address(this));
        _appoint(SETTLER_ROLE, beginning.settler);
        _appointAll(LINKER_ROLE, beginning.linkers);
        _appointAll(FREEZER_ROLE, beginning.freezers);
        _setSeizureAddress(beginning.seizureAddress);
        if (beginning.consentWaived) _waiveConsent();
    }

    /// @dev A settler is never credited, nor is the coin: coins would be lost there.
    /// @param role The role.
    /// @param account Who gets it.
    /// @return Whether it had not got it before.
    function _grantRole(bytes32 role, address account) internal override returns (bool) {
        if (role == SETTLER_ROLE) _bar(account);
        return super._grantRole(role, account);
    }
}
