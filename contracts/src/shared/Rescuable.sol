// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Governed} from "./Governed.sol";

/// @title Rescue of foreign tokens
/// @notice Gives back tokens that somebody sent to the contract by mistake. The coin itself is never credited to a
/// contract of ours, so no holder's coins are within reach.
abstract contract Rescuable is Governed {
    using SafeERC20 for IERC20;

    /// @notice Tokens that were sent here by mistake went on.
    /// @param token The token's contract.
    /// @param to Who got them.
    /// @param amount How many, in the token's own units.
    event TokenRescued(address indexed token, address indexed to, uint256 amount);

    /// @notice Sends tokens that this contract holds to somebody.
    /// @param token The token's contract.
    /// @param to Who gets them.
    /// @param amount How many, in the token's own units.
    function rescueToken(IERC20 token, address to, uint256 amount) external onlyRole(DEFAULT_ADMIN_ROLE) {
        token.safeTransfer(to, amount);
        emit TokenRescued(address(token), to, amount);
    }
}
