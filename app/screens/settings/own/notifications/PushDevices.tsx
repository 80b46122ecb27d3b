import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { PushSubscriptionRow } from '../../../../../wire/push.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { addPushDevice, pushDevices, removePushDevice } from '../../../../data/push/pushDevices.ts'
import { pushObstacle, type PushObstacle } from '../../../../data/push/pushObstacle.ts'
import { testPushDevice, type PushTestResult } from '../../../../data/push/testPushDevice.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Switch } from '../../../../ui/Switch.tsx'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { useAction } from '../../../../ui/useAction.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { deviceName } from '../security/deviceName.ts'
import listStyles from '../../SettingsList.module.css'
import { SettingsSection } from '../../SettingsSection.tsx'

/** Switches push notifications of this device on, and lists the user's devices that have them. */
export function PushDevices() {
  const query = useQuery(pushDevices)
  const { devices, own } = query.value ?? { devices: [], own: undefined }
  const current = devices.find((device) => device.current && device.id === own)
  return (
    <SettingsSection
      title={i18n._('Push notifications on this device')}
      hint={i18n._('The browser shows them even when Linnet isn’t open.')}
    >
      <PushSwitch key={String(current?.id)} current={current ?? null} isKnown={query.value !== undefined} />
      <QueryContent query={query} loading={i18n._('Devices with push notifications')}>
        {() =>
          devices.length > 0 ? (
            <div>
              <h3 className="label">{i18n._('Devices with push notifications')}</h3>
              <ul className={listStyles.list}>
                {devices.map((device) => (
                  <Device key={device.id} device={device} isThis={device === current} />
                ))}
              </ul>
            </div>
          ) : null
        }
      </QueryContent>
    </SettingsSection>
  )
}

interface PushSwitchProps {
  current: PushSubscriptionRow | null
  isKnown: boolean
}

function PushSwitch({ current, isKnown }: PushSwitchProps) {
  const action = useAction()
  const [wanted, setWanted] = useState(false)
  const [obstacle, setObstacle] = useState(pushObstacle)
  if (obstacle && !current) return <p>{obstacleText(obstacle)}</p>
  const change = async (isOn: boolean) => {
    setWanted(isOn)
    await action.run(() => (isOn || !current ? addPushDevice() : removePushDevice(current.id)))
    setObstacle(pushObstacle())
  }
  // The browser's question may have been answered with "block".
  const denied = action.failure && obstacle === 'denied'
  return (
    <div>
      {isKnown ? (
        <Switch
          label={i18n._('Notify me on this device when Linnet is closed')}
          hint={action.busy ? i18n._('Saving…') : undefined}
          checked={action.busy ? wanted : current !== null}
          onChange={(isOn) => void change(isOn)}
        />
      ) : null}
      {action.failure ? <p role="alert">{denied ? obstacleText('denied') : action.failure}</p> : null}
    </div>
  )
}

function obstacleText(obstacle: PushObstacle): string {
  switch (obstacle) {
    case 'insecure':
      return i18n._(
        'Browsers allow push notifications only on websites with HTTPS, which this server doesn’t use.',
      )
    case 'no-install':
      return i18n._(
        'On iPhone and iPad only installed apps get push notifications. In Safari, tap Share, then “Add to Home Screen”, and open Linnet from there.',
      )
    case 'unsupported':
      return i18n._('This browser doesn’t support push notifications. In private windows, no browser does.')
    case 'denied':
      return i18n._(
        'The browser blocks notifications from Linnet. Allow them in the site settings, next to the address bar, and reload this page.',
      )
  }
}

interface DeviceProps {
  device: PushSubscriptionRow
  isThis: boolean
}

function Device({ device, isThis }: DeviceProps) {
  const test = useAction()
  const removal = useAction()
  const [result, setResult] = useState<PushTestResult | null>(null)
  const name = deviceName(device.device)
  const sendTest = async () => {
    setResult(null)
    const done = await test.run(() => testPushDevice(device.id))
    if (done) setResult(done.value)
  }
  const failure = test.failure ?? removal.failure
  return (
    <li className={listStyles.row}>
      <div className={listStyles.details}>
        <p>
          <bdi>{name}</bdi>
          {isThis ? (
            <>
              {' · '}
              <strong className={listStyles.name}>{i18n._('This device')}</strong>
            </>
          ) : null}
        </p>
        <p className="note">{deliveryText(device)}</p>
        {device.problem ? <p className="note">{problemText(device.problem)}</p> : null}
        <div role="status">{result ? <p className="note">{resultText(result)}</p> : null}</div>
        {failure ? <p role="alert">{failure}</p> : null}
      </div>
      <div className={listStyles.buttons}>
        <Button
          busy={test.busy}
          aria-label={i18n._('Send test to {device}', { device: name })}
          onClick={() => void sendTest()}
        >
          {i18n._('Send test')}
        </Button>
        <Button
          busy={removal.busy}
          aria-label={i18n._('Remove {device}', { device: name })}
          onClick={() => void removal.run(() => removePushDevice(device.id))}
        >
          {i18n._('Remove')}
        </Button>
      </div>
    </li>
  )
}

function deliveryText({ accepted_at: acceptedAt, shown_at: shownAt }: PushSubscriptionRow): string {
  if (acceptedAt === null) return i18n._('No notification sent yet')
  const accepted = i18n._('Last sent {moment}', { moment: formatDayAndTime(acceptedAt) })
  const shown =
    shownAt === null
      ? i18n._('none displayed yet')
      : i18n._('last displayed {moment}', { moment: formatDayAndTime(shownAt) })
  return `${accepted} · ${shown}`
}

function problemText(problem: string): string {
  const status = /^status (\d+)$/.exec(problem)?.[1]
  if (status !== undefined) {
    return i18n._(
      'The last notification wasn’t accepted: the notification service responded with {status}.',
      {
        status,
      },
    )
  }
  return problem === 'refused'
    ? i18n._('The last notification wasn’t sent: this server doesn’t connect to the notification service.')
    : i18n._('The last notification wasn’t sent: this server couldn’t reach the notification service.')
}

function resultText(result: PushTestResult): string {
  switch (result) {
    case 'shown':
      return i18n._(
        'The device has displayed the test. If you don’t see it, its system is hiding notifications from the browser: check its notification settings, and “Do not disturb” or “Focus”.',
      )
    case 'accepted':
      return i18n._(
        'The test was sent, but the device hasn’t displayed it. It may be off or without a connection, or its browser may be closed.',
      )
    case 'unknown':
      return i18n._('The notification service hasn’t accepted the test yet. It will be sent again later.')
  }
}
