// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Kind} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {Instruction, pack} from "./support/Instructions.sol";

/// @title What the common actions cost, for contracts/.gas-snapshot
/// @notice Execution only; bench/gas.ts measures whole transactions.
contract GasTest is FixtureTest {
    uint256 private constant SIZE = 255;

    function setUp() public override {
        super.setUp();
        _give(alice, 100e6);
        _give(bob, 100e6);
        _link("alice");
        Instruction[] memory batch = new Instruction[](SIZE);
        for (uint256 i = 0; i < SIZE; ++i) {
            uint256 key = uint256(keccak256(abi.encode(i)));
            address wallet = vm.addr(key);
            batch[i] = _mint(wallet, 10e6);
            bytes memory consent = _signLink(key, wallet, ACCOUNT, 0, NOW);
            vm.prank(linker);
            coin.linkWallet(wallet, ACCOUNT, NOW, consent);
        }
        _settle(batch);
    }

    function _full(Kind kind, bool fresh) private {
        vm.pauseGasMetering();
        Instruction[] memory batch = new Instruction[](SIZE);
        for (uint256 i = 0; i < SIZE; ++i) {
            address known = vm.addr(uint256(keccak256(abi.encode(i))));
            address to = fresh ? address(uint160(0xDEF0000 + i)) : known;
            if (kind == Kind.Mint) batch[i] = _mint(to, 1e6);
            if (kind == Kind.Burn) batch[i] = _burn(known, 1e6);
            if (kind == Kind.Transfer) batch[i] = _transfer(known, to, 1e6);
        }
        bytes memory call = _nextCall(pack(batch));
        vm.prank(signer, signer);
        vm.resumeGasMetering();
        (bool succeeded,) = address(settlement).call(call);
        vm.pauseGasMetering();
        vm.assertTrue(succeeded, "settles");
        vm.assertEq(_lastBatchId(), 4, "one batch more");
        (, uint256 successBitmap,,) = settlement.outcomeOf(4);
        vm.assertEq(successBitmap, (1 << SIZE) - 1, "all succeed");
    }

    function test_batch_of_255_mints_to_fresh_wallets() public {
        _full(Kind.Mint, true);
    }

    function test_batch_of_255_mints_to_existing_wallets() public {
        _full(Kind.Mint, false);
    }

    function test_batch_of_255_burns() public {
        _full(Kind.Burn, false);
    }

    function test_batch_of_255_transfers_to_fresh_wallets() public {
        _full(Kind.Transfer, true);
    }

    function test_batch_of_one_mint() public {
        _give(alice, 1e6);
    }

    function test_transfer_by_the_holder() public {
        vm.prank(alice);
        coin.transfer(bob, 1e6);
    }

    function test_link_a_wallet() public {
        _link("carol");
    }

    function test_freeze_a_wallet() public {
        _freeze(carol);
    }
}
