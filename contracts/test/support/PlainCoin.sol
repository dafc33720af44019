// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title Reference for the gas benchmark
/// @notice OpenZeppelin's ERC-20 with a mint and nothing else: not upgradeable, no roles, no pause. Never deployed.
contract PlainCoin is ERC20("Plain", "PLAIN") {
    /// @notice Creates coins; anyone may.
    /// @param to The wallet credited.
    /// @param amount The amount.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
