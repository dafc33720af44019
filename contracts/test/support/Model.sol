// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction, Kind, Reason} from "../../src/shared/Instruction.sol";

/// @title What the contracts should do, said again in the simplest way
/// @notice Balances, flags and limits in plain mappings. It shares no code with the contracts, so that a mistake in
/// them is not repeated here.
contract Model {
    mapping(address => uint256) public balance;
    mapping(address => bool) public linked;
    mapping(address => bool) public frozen;
    bool public paused;
    uint256 public minted;
    uint256 public burned;

    uint256 public immutable capacity;
    uint256 public immutable refillPerSecond;
    uint256[2] private used;
    uint256[2] private usedAt;

    constructor(uint256 capacity_, uint256 refillPerSecond_, uint256 startedAt) {
        (capacity, refillPerSecond, usedAt) = (capacity_, refillPerSecond_, [startedAt, startedAt]);
    }

    function setLinked(address wallet, bool value) external {
        linked[wallet] = value;
    }

    function setFrozen(address wallet, bool value) external {
        frozen[wallet] = value;
    }

    function setPaused(bool value) external {
        paused = value;
    }

    /// @dev An ordinary transfer; whether it should succeed.
    function move(address from, address to, uint256 amount) external returns (bool) {
        if (paused || frozen[from] || frozen[to] || balance[from] < amount) return false;
        balance[from] -= amount;
        balance[to] += amount;
        return true;
    }

    /// @dev A batch: which instructions should succeed. Reverts when the whole batch should.
    function settle(Instruction[] calldata batch, uint256 timestamp) external returns (uint256 successBitmap) {
        require(!paused, "paused");
        uint256[2] memory sums;
        for (uint256 i = 0; i < batch.length; ++i) {
            if (reasonOf(batch[i]) != Reason.None) continue;
            successBitmap |= 1 << i;
            sums[batch[i].kind == Kind.Mint ? 0 : 1] += batch[i].amount;
            if (batch[i].kind == Kind.Mint) minted += batch[i].amount;
            else balance[batch[i].from] -= batch[i].amount;
            if (batch[i].kind == Kind.Burn) burned += batch[i].amount;
            else balance[batch[i].to] += batch[i].amount;
        }
        for (uint256 which = 0; which < 2; ++which) {
            uint256 refilled = (timestamp - usedAt[which]) * refillPerSecond;
            used[which] = (used[which] > refilled ? used[which] - refilled : 0) + sums[which];
            usedAt[which] = timestamp;
            require(used[which] <= capacity, "limit");
        }
    }

    function reasonOf(Instruction calldata instruction) public view returns (Reason) {
        (Kind kind, address from, address to, uint256 amount) =
            (instruction.kind, instruction.from, instruction.to, instruction.amount);
        bool shaped = kind == Kind.Mint
            ? from == address(0) && to != address(0)
            : kind == Kind.Burn ? from != address(0) && to == address(0) : from != address(0) && to != address(0);
        if (!shaped || amount == 0 || amount >= 2 ** 128) return Reason.InvalidInstruction;
        if (frozen[from] || frozen[to]) return Reason.Frozen;
        if (kind != Kind.Mint && !linked[from]) return Reason.NotLinked;
        if (kind != Kind.Mint && balance[from] < amount) return Reason.InsufficientBalance;
        return Reason.None;
    }
}
