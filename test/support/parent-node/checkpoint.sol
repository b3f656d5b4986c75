// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// What subnetd reads of the checkpoint contracts of XDC-CSC, with the same encoding, and no check of any block: what it refuses, a test says.
contract Checkpoint {
    struct BlockLite {
        bytes32 hash;
        int256 number;
    }

    event SubnetBlockAccepted(bytes32 blockHash, int256 number);
    event SubnetBlockFinalized(bytes32 blockHash, int256 number);

    string public MODE;
    BlockLite private latest;
    BlockLite private committed;
    string private refusal;

    constructor(string memory mode) {
        MODE = mode;
    }

    function submit(BlockLite calldata newest, BlockLite calldata finalized) external {
        latest = newest;
        committed = finalized;
        emit SubnetBlockAccepted(newest.hash, newest.number);
        emit SubnetBlockFinalized(finalized.hash, finalized.number);
    }

    /// Lets it refuse every header with these words, or none without words.
    function refuse(string calldata words) external {
        refusal = words;
    }

    function receiveHeader(bytes[] calldata headers) external view {
        require(headers.length > 0, "Empty headers");
        require(bytes(refusal).length == 0, refusal);
    }

    function getLatestBlocks() external view returns (BlockLite memory, BlockLite memory) {
        return (latest, committed);
    }
}
