// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction, Kind} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title What the common actions cost, for contracts/.gas-snapshot
/// @notice Execution only; bench/gas.ts measures whole transactions.
contract GasTest is FixtureTest {
    uint256 private constant SIZE = 255;

    function setUp() public override {
        super.setUp();
        _give(alice, 100e6);
        _give(bob, 100e6);
        _link(alice);
        for (uint256 i = 0; i < SIZE; ++i) _give(_known(i), 10e6);
        for (uint256 i = 0; i < SIZE; ++i) _link(_known(i));
    }

    function _known(uint256 i) private pure returns (address) {
        return address(uint160(0xABC0000 + i));
    }

    function _full(Kind kind, uint160 firstRecipient) private {
        Instruction[] memory batch = new Instruction[](SIZE);
        for (uint256 i = 0; i < SIZE; ++i) {
            address from = kind == Kind.Mint ? address(0) : _known(i);
            address to = kind == Kind.Burn ? address(0) : address(firstRecipient + uint160(i));
            batch[i] = Instruction(kind, from, to, 1e6);
        }
        vm.assertEq(_settle(batch), (1 << SIZE) - 1, "all succeed");
    }

    function test_batch_of_255_mints_to_fresh_wallets() public {
        _full(Kind.Mint, 0xDEF0000);
    }

    function test_batch_of_255_mints_to_existing_wallets() public {
        _full(Kind.Mint, 0xABC0000);
    }

    function test_batch_of_255_burns() public {
        _full(Kind.Burn, 0);
    }

    function test_batch_of_255_transfers_to_fresh_wallets() public {
        _full(Kind.Transfer, 0xDEF0000);
    }

    function test_batch_of_one_mint() public {
        _give(alice, 1e6);
    }

    function test_transfer_by_the_holder() public {
        vm.prank(alice);
        coin.transfer(bob, 1e6);
    }

    function test_link_a_wallet() public {
        _link(carol);
    }

    function test_freeze_a_wallet() public {
        _freeze(carol);
    }
}
