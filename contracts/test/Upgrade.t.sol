// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";
import {SlotDerivation} from "@openzeppelin/contracts/utils/SlotDerivation.sol";
import {Coin} from "../src/Coin.sol";
import {Settlement} from "../src/Settlement.sol";
import {Kind, Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {Instruction, pack} from "./support/Instructions.sol";
import "./support/PlainCoin.sol";
import {CoinV2, SettlementV2} from "./support/Upgrades.sol";

/// @title Upgrades keep everything
contract UpgradeTest is FixtureTest {
    bytes private constant INITIALIZED = abi.encodeWithSelector(Initializable.InvalidInitialization.selector);

    function test_an_upgrade_of_the_coin_keeps_everything() public {
        _give(alice, 100e6);
        _link("alice");
        _freeze(bob);
        vm.prank(alice);
        coin.approve(carol, 5);
        _pause();
        address implementation = vm.deployCode("Upgrades.sol:CoinV2");
        vm.prank(admin);
        coin.upgradeToAndCall(implementation, abi.encodeCall(CoinV2.initializeV2, (42)));

        vm.assertEq(CoinV2(address(coin)).mottoOf(), 42, "the new state");
        vm.assertEq(coin.name(), "Ringgit Coin", "name");
        vm.assertEq(coin.balanceOf(alice), 100e6, "balance");
        vm.assertEq(coin.allowance(alice, carol), 5, "allowance");
        vm.assertEq(coin.totalSupply(), 100e6, "supply");
        vm.assertTrue(coin.isLinkedTo(alice, ACCOUNT) && coin.isFrozen(bob) && coin.paused(), "flags");
        vm.assertEq(coin.linkNonce(alice), 1, "nonce");
        vm.assertTrue(coin.consentRequired(), "consent");
        _unpause();
        vm.assertTrue(_settle(_burn(alice, 100e6)), "still settles");
        _settleFails(_mint(bob, 1), Reason.Frozen);
        vm.expectRevert(INITIALIZED);
        CoinV2(address(coin)).initializeV2(43);
    }

    function test_an_upgrade_of_the_settlement_keeps_everything() public {
        _give(alice, 100e6);
        (, bytes32 runningHash) = settlement.head();
        (, uint256 bitmap, bytes24 digest, uint64 blockNumber) = settlement.outcomeOf(1);
        address implementation = vm.deployCode("Upgrades.sol:SettlementV2");
        vm.prank(admin);
        settlement.upgradeToAndCall(implementation, "");

        vm.assertEq(SettlementV2(address(settlement)).version(), 2, "upgraded");
        (bool settled, uint256 bitmapAfter, bytes24 digestAfter, uint64 blockAfter) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "batch");
        vm.assertEq(bitmapAfter, bitmap, "bitmap");
        vm.assertEq(bytes32(digestAfter), bytes32(digest), "digest");
        vm.assertEq(blockAfter, blockNumber, "block");
        (uint256 lastBatchId, bytes32 runningHashAfter) = settlement.head();
        vm.assertEq(lastBatchId, 1, "last id");
        vm.assertEq(runningHashAfter, runningHash, "running hash");
        vm.assertEq(settlement.coin(), address(coin), "coin");
        vm.assertEq(settlement.availableOf(Kind.Mint), _limitOf(Kind.Mint).capacity - 100e6, "limit");
        vm.assertEq(settlement.ceilingOf(Kind.Burn).capacity, CEILING, "ceiling");
        _give(alice, 1);
    }

    function test_only_a_uups_implementation_is_accepted() public {
        address plain = vm.deployCode("PlainCoin.sol:PlainCoin");
        vm.expectRevert(abi.encodeWithSelector(ERC1967Utils.ERC1967InvalidImplementation.selector, plain));
        vm.prank(admin);
        coin.upgradeToAndCall(plain, "");
    }

    /// @dev The two are upgraded apart, so either must understand the other as it was: word for word.
    function test_what_the_coin_answers_to_the_settlement_keeps_its_form() public {
        bytes memory packed = pack(_batch(_mint(alice, 3), _burn(bob, 4), _mint(bob, 7)));
        vm.prank(address(settlement));
        (bool done, bytes memory answer) = address(coin).call(abi.encodeWithSignature("execute(bytes)", packed));
        vm.assertTrue(done, "executed");
        bytes memory head = abi.encode(32, 1 | 1 << 2, 10, 0, 0, 5 * 32);
        bytes memory failures = abi.encode(2, bytes32(abi.encodePacked(uint8(1), uint8(Reason.NotLinked))));
        vm.assertEq(answer, bytes.concat(head, failures), "bitmap, sums by kind, failures");
    }

    function _slot(string memory name) private pure returns (uint256) {
        return uint256(SlotDerivation.erc7201Slot(name));
    }

    function _kept(address target, uint256 slot) private view returns (uint256) {
        return uint256(vm.load(target, bytes32(slot)));
    }

    /// @dev Storage that moves is storage lost: the slots are pinned here by name and by where the data is found.
    function test_storage_of_the_coin_is_namespaced() public {
        _link("alice");
        _give(alice, 3);
        _freeze(alice);
        uint256 wallets = _slot("stablecoin.storage.Wallets");
        uint256 word = _kept(address(coin), uint256(keccak256(abi.encode(alice, wallets))));
        vm.assertEq(word, 3 | 1 << 255 | 1 << 254, "balance, frozen, linked");
        vm.assertEq(_kept(address(coin), uint256(keccak256(abi.encode(address(coin), wallets)))), 1 << 253, "barred");
        vm.assertEq(_kept(address(coin), wallets + 1), 3, "supply");
        uint256 links = uint256(keccak256(abi.encode(alice, _slot("stablecoin.storage.Linkable"))));
        vm.assertEq(_kept(address(coin), links), 1 | 1 << 128, "nonce and count");
        vm.assertEq(_kept(address(coin), uint256(keccak256(abi.encode(ACCOUNT, links + 1)))), 1, "link");
        uint256 seizure = _kept(address(coin), _slot("stablecoin.storage.Seizable"));
        vm.assertEq(seizure, uint160(treasury), "seizure address");
        for (uint256 slot = 0; slot < 8; ++slot) vm.assertEq(_kept(address(coin), slot), 0, "nothing outside");
    }

    function test_storage_of_the_settlement_is_namespaced() public {
        Instruction memory mint = _mint(alice, 3);
        vm.assertTrue(_settle(mint), "settles");
        uint256 ledger = _slot("stablecoin.storage.BatchLedger");
        uint256 batch = uint256(keccak256(abi.encode(1, ledger)));
        vm.assertEq(_kept(address(settlement), batch), 1 | 1 << 255, "outcome");
        uint256 digest = uint256(keccak256(pack(_batch(mint)))) >> 64;
        vm.assertEq(_kept(address(settlement), batch + 1), digest << 64 | BLOCK, "digest and block");
        vm.assertEq(_kept(address(settlement), ledger + 1), 1, "last id");
        (, bytes32 runningHash) = settlement.head();
        vm.assertEq(_kept(address(settlement), ledger + 2), uint256(runningHash), "running hash");
        uint256 limits = uint256(keccak256(abi.encode(uint8(Kind.Mint), _slot("stablecoin.storage.Limited"))));
        uint256 limit = _limitOf(Kind.Mint).capacity | uint256(_limitOf(Kind.Mint).refillPerSecond) << 64;
        vm.assertEq(_kept(address(settlement), limits), limit | 3 << 128 | NOW << 192, "bucket");
        uint256 stored = _kept(address(settlement), _slot("stablecoin.storage.Settlement"));
        vm.assertEq(stored, uint160(address(coin)), "coin");
        for (uint256 slot = 0; slot < 8; ++slot) vm.assertEq(_kept(address(settlement), slot), 0, "nothing outside");
    }
}
