// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Coin} from "../../src/Coin.sol";
import {Settlement} from "../../src/Settlement.sol";
import {Limited} from "../../src/settlement/Limited.sol";
import {Kind, Reason} from "../../src/shared/Instruction.sol";
import {Instruction, pack} from "./Instructions.sol";
import {Vm} from "./Vm.sol";

/// @title Both contracts, deployed as in production, with a key for each role
abstract contract Fixture {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev When every test starts. Not `block.timestamp`: the optimizer may read that anew after a warp.
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant BLOCK = 20_000_000;
    uint64 internal constant CEILING = 2_000_000e6;
    uint64 internal constant CEILING_REFILL = 20e6;

    // What the deployed contracts can name, two of everything that they tell apart.
    bytes32 internal constant ACCOUNT = keccak256("integration 1, customer 1");
    bytes32 internal constant OTHER_ACCOUNT = keccak256("integration 2, customer 1");
    address internal immutable admin = _named("admin");
    address internal immutable signer = _named("signer");
    address internal immutable otherSigner = _named("other signer");
    address internal immutable limiter = _named("limiter");
    address internal immutable pauser = _named("pauser");
    address internal immutable otherPauser = _named("other pauser");
    address internal immutable unpauser = _named("unpauser");
    address internal immutable freezer = _named("freezer");
    address internal immutable linker = _named("linker");
    address internal immutable treasury = _named("treasury");
    address internal immutable stranger = _named("stranger");
    address internal immutable alice = _named("alice");
    address internal immutable bob = _named("bob");
    address internal immutable carol = _named("carol");

    Coin internal coin;
    Settlement internal settlement;

    function _deploy() internal {
        vm.warp(NOW);
        vm.roll(BLOCK);
        _deployWith(_coinBeginning());
    }

    /// @dev As in production, the coin names its settler before that exists: its address is known beforehand.
    function _deployWith(Coin.Beginning memory beginning) internal {
        address coinCode = _newCoin();
        address settlementCode = _newSettlement();
        beginning.settler = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        coin = Coin(_proxy(coinCode, abi.encodeCall(Coin.initialize, (beginning))));
        settlement = Settlement(
            _proxy(settlementCode, abi.encodeCall(Settlement.initialize, (_settlementBeginning(address(coin)))))
        );
        vm.assertEq(address(settlement), beginning.settler, "the settler that the coin was told");
    }

    function _coinBeginning() internal view returns (Coin.Beginning memory) {
        return Coin.Beginning({
            name: "Ringgit Coin",
            symbol: "MYRC",
            admin: admin,
            settler: address(1),
            linkers: _list(linker),
            freezers: _list(freezer),
            pausers: _pausers(),
            unpausers: _list(unpauser),
            seizureAddress: treasury,
            consentWaived: false
        });
    }

    function _settlementBeginning(address coin_) internal view returns (Settlement.Beginning memory beginning) {
        beginning.coin = coin_;
        beginning.admin = admin;
        beginning.signers = new address[](2);
        (beginning.signers[0], beginning.signers[1]) = (signer, otherSigner);
        beginning.limiters = _list(limiter);
        beginning.pausers = _pausers();
        beginning.unpausers = _list(unpauser);
        for (uint256 i = 0; i < 3; ++i) {
            beginning.limits[i] = _limitOf(Kind(i));
            beginning.ceilings[i] = Limited.Limit(CEILING, CEILING_REFILL);
        }
    }

    /// @dev Another limit for each kind, so that one taken for another shows.
    function _limitOf(Kind kind) internal pure returns (Limited.Limit memory) {
        if (kind == Kind.Mint) return Limited.Limit(1_000_000e6, 10e6);
        if (kind == Kind.Burn) return Limited.Limit(800_000e6, 8e6);
        return Limited.Limit(600_000e6, 6e6);
    }

    function _list(address one) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = one;
    }

    function _pausers() private view returns (address[] memory pausers) {
        pausers = new address[](2);
        (pausers[0], pausers[1]) = (pauser, otherPauser);
    }

    // Deployed from their artifacts: `new` would compile a copy of each contract into every test. tools/forge.ts names the
    // bytecode of production; a mutation run takes what forge compiled.

    function _newCoin() internal returns (address) {
        return vm.deployCode(vm.envOr("COIN_ARTIFACT", string("Coin.sol:Coin")));
    }

    function _newSettlement() internal returns (address) {
        return vm.deployCode(vm.envOr("SETTLEMENT_ARTIFACT", string("Settlement.sol:Settlement")));
    }

    function _proxy(address implementation, bytes memory initialization) internal returns (address) {
        return vm.deployCode("ERC1967Proxy.sol:ERC1967Proxy", abi.encode(implementation, initialization));
    }

    function _named(string memory name) internal pure returns (address) {
        return vm.addr(_keyOf(name));
    }

    function _keyOf(string memory name) internal pure returns (uint256) {
        return uint256(keccak256(bytes(name)));
    }

    function _mint(address to, uint256 amount) internal pure returns (Instruction memory) {
        return Instruction(Kind.Mint, address(0), to, uint64(amount), "mint");
    }

    function _burn(address from, uint256 amount) internal pure returns (Instruction memory) {
        return Instruction(Kind.Burn, from, address(0), uint64(amount), "burn");
    }

    function _transfer(address from, address to, uint256 amount) internal pure returns (Instruction memory) {
        return Instruction(Kind.Transfer, from, to, uint64(amount), "transfer");
    }

    function _batch(Instruction memory a) internal pure returns (Instruction[] memory batch) {
        batch = new Instruction[](1);
        batch[0] = a;
    }

    function _batch(Instruction memory a, Instruction memory b, Instruction memory c)
        internal
        pure
        returns (Instruction[] memory batch)
    {
        batch = new Instruction[](3);
        (batch[0], batch[1], batch[2]) = (a, b, c);
    }

    /// @dev `count` mints of one unit, each to a wallet of its own.
    function _mints(uint256 count) internal pure returns (Instruction[] memory batch) {
        batch = new Instruction[](count);
        for (uint256 i = 0; i < count; ++i) batch[i] = _mint(address(uint160(0x10000 + i)), 1);
    }

    function _lastBatchId() internal view returns (uint256 lastBatchId) {
        (lastBatchId,) = settlement.head();
    }

    /// @dev The call that settles a batch as the next one.
    function _nextCall(bytes memory packed) internal view returns (bytes memory) {
        (uint256 lastBatchId, bytes32 runningHash) = settlement.head();
        return abi.encodeCall(Settlement.settle, (lastBatchId + 1, runningHash, packed));
    }

    /// @dev Settles as the next batch and returns the success bitmap.
    function _settle(Instruction[] memory batch) internal returns (uint256 successBitmap) {
        bytes memory call = _nextCall(pack(batch));
        vm.prank(signer, signer);
        (bool succeeded, bytes memory answer) = address(settlement).call(call);
        if (!succeeded) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
        (, successBitmap,,) = settlement.outcomeOf(_lastBatchId());
    }

    function _settle(Instruction memory instruction) internal returns (bool succeeded) {
        return _settle(_batch(instruction)) == 1;
    }

    /// @dev Tries to settle as the next batch, which has to revert with `refusal` and leave nothing behind.
    function _settleReverts(bytes memory packed, bytes memory refusal) internal {
        uint256 nextId = _lastBatchId() + 1;
        bytes memory call = _nextCall(packed);
        vm.prank(signer, signer);
        (bool succeeded, bytes memory answer) = address(settlement).call(call);
        vm.assertFalse(succeeded, "reverts");
        vm.assertEq(answer, refusal, "for the reason expected");
        _expectUnsettled(nextId);
    }

    function _settleReverts(Instruction memory instruction, bytes memory refusal) internal {
        _settleReverts(pack(_batch(instruction)), refusal);
    }

    /// @dev Settles one instruction that has to fail, and checks the reason it is reported with.
    function _settleFails(Instruction memory instruction, Reason reason) internal {
        uint256 batchId = _lastBatchId() + 1;
        bytes memory call = _nextCall(pack(_batch(instruction)));
        vm.expectEmit(address(settlement));
        emit Settlement.InstructionFailed(batchId, 0, reason);
        vm.prank(signer, signer);
        (bool succeeded,) = address(settlement).call(call);
        vm.assertTrue(succeeded, "the batch settles");
        (, uint256 successBitmap,,) = settlement.outcomeOf(batchId);
        vm.assertEq(successBitmap, 0, "the instruction fails");
    }

    function _expectUnsettled(uint256 batchId) internal view {
        (bool settled, uint256 successBitmap, bytes24 digest, uint64 blockNumber) = settlement.outcomeOf(batchId);
        vm.assertFalse(settled, "not settled");
        vm.assertEq(successBitmap, 0, "no bitmap");
        vm.assertEq(bytes32(digest), bytes32(0), "no digest");
        vm.assertEq(blockNumber, 0, "no block");
    }

    function _give(address wallet, uint256 amount) internal {
        vm.assertTrue(_settle(_mint(wallet, amount)), "the mint succeeds");
    }

    /// @dev The holder's signature of the consent that the wallet's next link needs.
    function _consent(string memory holder, bytes32 account, uint256 deadline) internal view returns (bytes memory) {
        return _signLink(_keyOf(holder), _named(holder), account, coin.linkNonce(_named(holder)), deadline);
    }

    function _signLink(uint256 key, address wallet, bytes32 account, uint256 nonce, uint256 deadline)
        internal
        view
        returns (bytes memory)
    {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, _linkHash(wallet, account, nonce, deadline));
        return abi.encodePacked(r, s, v);
    }

    function _linkHash(address wallet, bytes32 account, uint256 nonce, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        bytes32 typeHash = keccak256("Link(address wallet,bytes32 account,uint256 nonce,uint256 deadline)");
        bytes32 structHash = keccak256(abi.encode(typeHash, wallet, account, nonce, deadline));
        return keccak256(abi.encodePacked(hex"1901", coin.DOMAIN_SEPARATOR(), structHash));
    }

    /// @dev Links a wallet that has a name to an account, with its holder's consent.
    function _link(string memory holder, bytes32 account) internal {
        bytes memory consent = _consent(holder, account, NOW);
        vm.prank(linker);
        coin.linkWallet(_named(holder), account, NOW, consent);
    }

    function _link(string memory holder) internal {
        _link(holder, ACCOUNT);
    }

    function _freeze(address wallet) internal {
        vm.prank(freezer);
        coin.freeze(wallet);
    }

    function _pause() internal {
        vm.prank(pauser);
        coin.pause();
    }

    function _unpause() internal {
        vm.prank(unpauser);
        coin.unpause();
    }

    function _refused(address account, bytes32 role) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, account, role);
    }

    /// @dev Maps a fuzzed number into a range, both ends included.
    function _within(uint256 value, uint256 least, uint256 most) internal pure returns (uint256) {
        return least + value % (most - least + 1);
    }
}

/// @title A test that starts with freshly deployed contracts
abstract contract FixtureTest is Fixture {
    function setUp() public virtual {
        _deploy();
    }
}
