import type { SettingsReader } from '../../auth/settings/createSettingsReader.ts'

/** Blockchains whose wallets can sign in. */
export type Chain = 'solana' | 'ethereum'

/** `[auth.web3.*]`: which chains are enabled. */
export type Web3Settings = Record<Chain, boolean>

export function readWeb3Settings(read: SettingsReader): Web3Settings {
  return {
    solana: read.at('auth.web3.solana.enabled', false),
    ethereum: read.at('auth.web3.ethereum.enabled', false),
  }
}
