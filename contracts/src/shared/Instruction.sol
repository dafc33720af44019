// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What an instruction does to the supply.
enum Kind {
    /// Creates coins in `to`; `from` is the zero address.
    Mint,
    /// Destroys coins of `from`; `to` is the zero address.
    Burn,
    /// Moves coins from `from` to `to`.
    Transfer
}

/// @notice One movement of coins within a batch.
/// @param kind Mint, burn or transfer.
/// @param from The wallet debited; zero for a mint.
/// @param to The wallet credited; zero for a burn.
/// @param amount Units of 10^-6 coin; more than zero and at most `type(uint128).max`.
struct Instruction {
    Kind kind;
    address from;
    address to;
    uint256 amount;
}

/// @notice Why an instruction of a settled batch moved nothing. New reasons are only ever added at the end.
enum Reason {
    /// It did not fail.
    None,
    /// A wallet it names is frozen.
    Frozen,
    /// The wallet to debit is not linked.
    NotLinked,
    /// The wallet to debit holds less than the amount.
    InsufficientBalance,
    /// Its amount is out of range, or its addresses do not suit its kind.
    InvalidInstruction
}
