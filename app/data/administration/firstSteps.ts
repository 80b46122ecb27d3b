import { readPreference, storePreference } from '../../devicePreferences.ts'
import { findingsOfHealth } from '../../../wire/databaseChecks.ts'
import type { WorkspaceHealth } from '../../../wire/administration.ts'
import type { CheckCode, Finding } from '../../../wire/serverChecks.ts'
import { ownAccount, verifiedFactors, type OwnAccount } from '../account/ownAccount.ts'
import { passkeyList, type Passkey } from '../account/passkeys.ts'
import { useDevicePreference } from '../hooks/useDevicePreference.ts'
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
  account: Pick<OwnAccount, 'factors'>
  passkeys: readonly Pick<Passkey, 'id'>[]
  /** The number of people besides bots. */
  people: number
  /** Whether a test mail was sent from this browser. */
  isMailTested: boolean
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
  backup: ['backups.none', 'backups.none_yet'],
} satisfies Record<string, CheckCode[]>

/**
 * Returns the steps that are not done. A server reports its address, mail server and backups; what it doesn't report is no
 * step, such as on hosted projects.
 */
export function findFirstSteps({ health, account, passkeys, people, isMailTested }: Known): FirstStep[] {
  const found = health.server ? findingsOfHealth(health) : []
  const reported = Object.entries(findingsOfSteps).flatMap(([name, codes]) => {
    const code = codes.find((one) => found.some((finding) => finding.code === one))
    if (code === undefined || (code === 'mail.reachable' && isMailTested)) return []
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

/** The last moment that a `Date` represents. */
const END_OF_TIME = 8.64e15

/** Hides the first steps in this browser, or the one that tries the mail server. */
export function endFirstSteps(name: 'first_steps' | 'mail.reachable'): void {
  storePreference('postponedReminders', { ...readPreference('postponedReminders'), [name]: END_OF_TIME })
}

const NONE: readonly FirstStep[] = []

/**
 * The first steps of an owner that are not done; null until they are known.
 * @param isOwner for others it is false, and nothing is fetched
 */
export function useFirstSteps(isOwner: boolean): readonly FirstStep[] | null {
  const [postponed] = useDevicePreference('postponedReminders')
  const isShown = isOwner && postponed.first_steps === undefined
  const health = useQuery(isShown ? workspaceHealth : null).value
  const account = useQuery(isShown ? ownAccount : null).value
  const { value: passkeys, failure } = useQuery(isShown ? passkeyList : null)
  const people = useMembers().filter(({ state }) => state === 'active').length
  // A server without passkeys refuses the list.
  const list = failure ? [] : passkeys
  if (!isShown) return NONE
  if (!health || !account || !list) return null
  return findFirstSteps({
    health,
    account,
    passkeys: list,
    people,
    isMailTested: postponed['mail.reachable'] !== undefined,
  })
}
