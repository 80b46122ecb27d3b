import type { PushSubscriptionRow } from '../../../wire/push.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { refetchAfter } from '../queries/createQuery.ts'
import { listPushDevices, pushDevices, sendTestPush } from './pushDevices.ts'

const INTERVAL_MS = 1_000
/** Checks of the device; a test is usually displayed within two seconds. */
const MAX_CHECKS = 12

/** What became of a test notification: `unknown` if the push service has not accepted it yet, or refused it. */
export type PushTestResult = 'shown' | 'accepted' | 'unknown'

/** Sends a test notification and waits until the device reports that it has displayed it, for some seconds. */
export async function testPushDevice(id: Uuid): Promise<Outcome<PushTestResult>> {
  const before = await findDevice(id)
  if (!before.ok) return before
  const sent = await sendTestPush(id)
  if (!sent.ok) return sent
  let result: PushTestResult = 'unknown'
  for (let check = 0; check < MAX_CHECKS && result !== 'shown'; check++) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
    const now = await findDevice(id)
    if (!now.ok) return now
    if (now.value?.shown_at !== before.value?.shown_at) result = 'shown'
    else if (now.value?.accepted_at !== before.value?.accepted_at) result = 'accepted'
  }
  return refetchAfter(success(result), pushDevices)
}

async function findDevice(id: Uuid): Promise<Outcome<PushSubscriptionRow | undefined>> {
  const devices = await listPushDevices()
  return devices.ok ? success(devices.value.find((one) => one.id === id)) : devices
}
