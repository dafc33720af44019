// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Settleable} from "../src/coin/Settleable.sol";
import {Reason} from "../src/shared/Instruction.sol";

/// @title The supply changes only as the outcome says
/// @notice Whatever the state, an instruction that succeeds changes the wallets that it names by its amount, one that fails
/// changes nothing, no other wallet changes, and the supply stays; then a call changes the supply by what was minted
/// less what was burned. `watched` may be any wallet.
contract SupplyProof is Settleable {
    function mint(address watched, address to, uint64 amount) external {
        (uint256 word, uint256 supply) = _before(watched, amount);
        bool succeeded = _executeMint(to, amount) == Reason.None;
        assert(_word(watched) == (succeeded && watched == to ? word + amount : word));
        assert(keptWalletsStorage._supply == supply);
    }

    function burn(address watched, address from, uint64 amount) external {
        (uint256 word, uint256 supply) = _before(watched, amount);
        bool succeeded = _executeBurn(from, amount) == Reason.None;
        assert(_word(watched) == (succeeded && watched == from ? word - amount : word));
        assert(keptWalletsStorage._supply == supply);
    }

    function transfer(address watched, address from, address to, uint64 amount) external {
        (uint256 word, uint256 supply) = _before(watched, amount);
        bool succeeded = _executeTransfer(from, to, amount) == Reason.None;
        if (succeeded && watched == from) word -= amount;
        if (succeeded && watched == to) word += amount;
        assert(_word(watched) == word);
        assert(keptWalletsStorage._supply == supply);
    }

    function close(uint256 minted, uint256 burned) external {
        uint256 supply = keptWalletsStorage._supply;
        require(supply < 2 ** 120);
        _changeSupply(minted, burned);
        assert(keptWalletsStorage._supply == supply + minted - burned);
        assert(keptWalletsStorage._supply < 2 ** 120);
    }

    /// @dev A balance is far from its flags: `Wallets` says why.
    function _before(address watched, uint64 amount) private view returns (uint256 word, uint256 supply) {
        word = _word(watched);
        require(word <= type(uint256).max - amount);
        supply = keptWalletsStorage._supply;
    }

    function _word(address wallet) private view returns (uint256) {
        return keptWalletsStorage._wallets[wallet].word;
    }
}
