import { i18n } from '@lingui/core'
import { useState } from 'react'
import { version } from '../../../../package.json'
import { useConnection, useIsLeader, type Connection } from '../../../data/session/useWorkspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import { CheckCounts } from './CheckCounts.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import styles from '../SettingsPane.module.css'

/** Version, connection and data to copy for support. */
export default function AboutPane() {
  const connection = useConnection()
  const isLeader = useIsLeader()
  const showToast = useToast()
  const [copied, setCopied] = useState(false)
  const facts: [string, string][] = [
    [i18n._('Version'), version],
    [i18n._('Server'), location.host],
    [i18n._('Connection'), connectionSentence(connection)],
  ]
  const copy = async () => {
    const tab: [string, string] = [
      i18n._('Connection role of this tab'),
      isLeader
        ? i18n._('Holds the shared connection for all your tabs')
        : i18n._('Uses another tab’s connection'),
    ]
    const lines = [...facts, tab, [i18n._('Browser'), navigator.userAgent]].map((fact) => fact.join(': '))
    try {
      await navigator.clipboard.writeText(lines.join('\n'))
      setCopied(true)
    } catch {
      showToast({ text: i18n._('Couldn’t copy. Select the text and copy it manually.') })
    }
  }
  return (
    <PaneFrame>
      <dl className={styles.metadata}>
        {facts.map(([name, value]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <div>
        <Button onClick={() => void copy()}>{copied ? i18n._('Copied') : i18n._('Copy diagnostics')}</Button>
      </div>
      <CheckCounts />
    </PaneFrame>
  )
}

function connectionSentence(connection: Connection): string {
  switch (connection) {
    case 'online':
      return i18n._('Connected: updates arrive instantly')
    case 'connecting':
      return i18n._('Reconnecting: checking for updates periodically')
    case 'offline':
      return i18n._('Offline: you can read what’s saved on this device')
  }
}
