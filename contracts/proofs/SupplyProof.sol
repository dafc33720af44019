// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Settleable} from "../src/coin/Settleable.sol";
import {Kind} from "../src/shared/Instruction.sol";
import {Execution} from "../src/shared/ISettleable.sol";

/// @title The supply changes only as the outcome says
/// @notice One instruction, whichever it is, in whatever state: what it adds to the sums is what it did to the wallets, and
/// no wallet but those that it names changes at all. A call then changes the supply by the sums, and nothing else does.
contract SupplyProof is Settleable {
    /// @notice One instruction, and any wallet.
    function step(
        address watched,
        Kind kind,
        uint64 amount,
        address wallet,
        address recipient,
        uint256 index,
        Execution memory execution
    ) external {
        require(index < 255);
        (inputKind, inputAmount, inputWallet, inputRecipient) = (kind, amount, wallet, recipient);
        uint256 sum = execution.sums[uint256(kind)];
        uint256 word = keptWalletsStorage._wallets[watched].word;
        uint256 supply = keptWalletsStorage._supply;
        require(sum <= type(uint256).max - amount && word <= type(uint256).max - amount);

        _executeOne(index, execution);

        uint256 added = execution.sums[uint256(kind)] - sum;
        assert(added == 0 || added == amount);
        uint256 expected = word;
        if (kind != Kind.Mint && watched == wallet) expected -= added;
        if (kind == Kind.Mint && watched == wallet) expected += added;
        if (kind == Kind.Transfer && watched == recipient) expected += added;
        assert(keptWalletsStorage._wallets[watched].word == expected);
        assert(keptWalletsStorage._supply == supply);
    }

    /// @notice What a call does to the supply when its instructions are done.
    function close(uint256 minted, uint256 burned) external {
        uint256 supply = keptWalletsStorage._supply;
        require(supply < 2 ** 120);
        _changeSupply(minted, burned);
        assert(keptWalletsStorage._supply == supply + minted - burned);
        assert(keptWalletsStorage._supply < 2 ** 120);
    }
}
