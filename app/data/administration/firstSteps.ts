import { findingsOfHealth } from '../../../wire/databaseChecks.ts'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import type { CheckCode, Finding } from '../../../wire/serverChecks.ts'
import { ownAccount, storeAccountMetadata, verifiedFactors, type OwnAccount } from '../account/ownAccount.ts'
import { passkeyList, type Passkey } from '../account/passkeys.ts'
import type { Outcome } from '../failures/failures.ts'
import { useMembers } from '../people/people.ts'
import { useQuery } from '../queries/useQuery.ts'
import { workspaceHealth } from './health.ts'

/** Something that an owner has to do before others use the server, with what the server found about it. */
export interface FirstStep {
  name: 'address' | 'mail' | 'backup' | 'account' | 'people'
  /** Null for steps that the server doesn't check. */
  finding: Finding | null
}

interface Known {
  health: WorkspaceHealth
  account: Pick<OwnAccount, 'factors' | 'user_metadata'>
  passkeys: readonly Pick<Passkey, 'id'>[]
  /** The number of people besides bots. */
  people: number
}

/** The findings by which a step of the server is not done, the most urgent one first. */
const findingsOfSteps = {
  address: [
    'address.unreachable',
    'address.other_server',
    'address.no_websocket',
    'address.unencrypted',
    'address.local',
  ],
  mail: ['mail.failing', 'mail.no_server', 'mail.local_mailbox', 'mail.reachable'],
  backup: ['backups.none', 'backups.none_yet', 'backups.failed'],
} satisfies Record<string, CheckCode[]>

/**
 * Returns the steps that are not done. A server reports its address, mail server and backups; what it doesn't report is no
 * step, such as on hosted projects.
 */
export function findFirstSteps({ health, account, passkeys, people }: Known): FirstStep[] {
  const found = health.server ? findingsOfHealth(health) : []
  const has = (code: CheckCode) => found.some((finding) => finding.code === code)
  const reported = Object.entries(findingsOfSteps).flatMap(([name, codes]) => {
    const code = codes.find(has)
    if (code === undefined || (code === 'mail.reachable' && account.user_metadata.test_mail)) return []
    // A later backup has failed: that is no step but a problem of the server.
    if (code === 'backups.failed' && (has('backups.recent') || has('backups.old'))) return []
    const finding = found.find((one) => one.code === code) ?? null
    return [{ name: name as keyof typeof findingsOfSteps, finding }]
  })
  return [
    ...reported,
    ...(verifiedFactors(account).length + passkeys.length === 0
      ? [{ name: 'account' as const, finding: null }]
      : []),
    ...(people > 1 ? [] : [{ name: 'people' as const, finding: null }]),
  ]
}

/** Hides the first steps of this user. */
export function hideFirstSteps(): Promise<Outcome> {
  return storeAccountMetadata({ first_steps: 'hidden' })
}

/** Records that a test mail reached the user. */
export function confirmTestMail(): Promise<Outcome> {
  return storeAccountMetadata({ test_mail: 'arrived' })
}

const NONE: readonly FirstStep[] = []

/**
 * The first steps of an owner that are not done; null until they are known.
 * @param isOwner for others it is false, and nothing is fetched
 */
export function useFirstSteps(isOwner: boolean): readonly FirstStep[] | null {
  const account = useQuery(isOwner ? ownAccount : null).value
  const isShown = account !== undefined && !account.user_metadata.first_steps
  const health = useQuery(isShown ? workspaceHealth : null).value
  const { value: passkeys, failure } = useQuery(isShown ? passkeyList : null)
  const people = useMembers().filter(({ state }) => state === 'active').length
  if (!isOwner) return NONE
  if (!account) return null
  if (!isShown) return NONE
  // A server without passkeys refuses the list.
  const list = failure ? [] : passkeys
  return health && list ? findFirstSteps({ health, account, passkeys: list, people }) : null
}
