// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What an instruction does to the supply. Its number is the first byte of a packed instruction.
enum Kind {
    /// Creates coins in a wallet.
    Mint,
    /// Destroys coins of a wallet.
    Burn,
    /// Moves coins from a wallet to another.
    Transfer
}

/// @notice Why an instruction of a settled batch moved nothing. When several reasons apply, the first of them is told.
enum Reason {
    /// It did not fail.
    None,
    /// Its amount is zero, or it credits the zero address.
    InvalidInstruction,
    /// It credits the coin or a Settlement contract, where coins would be lost.
    BarredRecipient,
    /// A wallet it names is frozen.
    Frozen,
    /// The wallet to debit is not linked.
    NotLinked,
    /// The wallet to debit holds less than the amount.
    InsufficientBalance
}

/// @title Packed instructions
/// @notice An instruction is 37 bytes, a transfer 57, one after the other without any padding:
/// kind (1 byte), amount (8), tag (8), wallet (20), and in a transfer the recipient (20).
/// The amount is in units of 10^-6 coin. The wallet is credited by a mint, debited by a burn and a transfer. The tag
/// names the order for whoever reads the batch; no contract looks at it.
library PackedInstructions {
    /// @notice The length of a mint or a burn.
    uint256 internal constant SHORT = 37;

    /// @notice The length of a transfer.
    uint256 internal constant LONG = 57;

    /// @notice No instruction can be read at this position: an unknown kind, or too few bytes.
    /// @param offset The position of its first byte among the instructions.
    error MalformedInstruction(uint256 offset);

    /// @notice Reads an instruction but for a transfer's recipient.
    /// @param packed The instructions.
    /// @param offset The position of its first byte, within `packed`.
    /// @return kind Its kind.
    /// @return amount Units of 10^-6 coin, below 2^64.
    /// @return wallet The wallet credited by a mint, debited otherwise.
    /// @return next The position after its last byte, within `packed` or at its end.
    function read(bytes calldata packed, uint256 offset)
        internal
        pure
        returns (Kind kind, uint256 amount, address wallet, uint256 next)
    {
        uint256 first;
        assembly ("memory-safe") {
            first := calldataload(add(packed.offset, offset))
            wallet := shr(96, calldataload(add(packed.offset, add(offset, 17))))
        }
        uint256 number = first >> 248;
        amount = uint64(first >> 184);
        // A position within calldata overflows nothing.
        unchecked {
            next = offset + (number == uint256(Kind.Transfer) ? LONG : SHORT);
        }
        if (number > uint256(Kind.Transfer) || next > packed.length) revert MalformedInstruction(offset);
        kind = Kind(number);
    }

    /// @notice Reads a transfer's recipient.
    /// @param packed The instructions.
    /// @param next The position after the transfer's last byte.
    /// @return recipient The wallet credited.
    function recipientBefore(bytes calldata packed, uint256 next) internal pure returns (address recipient) {
        assembly ("memory-safe") {
            recipient := shr(96, calldataload(add(packed.offset, sub(next, 20))))
        }
    }
}
