import { i18n } from '@lingui/core'
import { useState } from 'react'
import { version } from '../../../package.json'
import { useConnection, useLeads, type Connection } from '../../data/session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { useNotice } from '../../ui/notice.ts'
import { CheckCounts } from './CheckCounts.tsx'
import { Part } from './Part.tsx'
import styles from './SettingsPane.module.css'

/** What helps when something seems wrong: the version, how this tab is connected, and words to hand on. */
export function About() {
  const connection = useConnection()
  const leads = useLeads()
  const notice = useNotice()
  const [copied, setCopied] = useState(false)
  const facts: [string, string][] = [
    [i18n._('Version'), version],
    [i18n._('Server'), location.host],
    [i18n._('Connection'), connectionWords(connection)],
    [
      i18n._('This tab'),
      leads ? i18n._('Holds the connection for all your tabs') : i18n._('Listens to another tab of yours'),
    ],
  ]
  const copy = async () => {
    const lines = [...facts, [i18n._('Browser'), navigator.userAgent]].map((fact) => fact.join(': '))
    try {
      await navigator.clipboard.writeText(lines.join('\n'))
      setCopied(true)
    } catch {
      notice({ words: i18n._('The browser doesn’t let us copy. Select the words yourself.') })
    }
  }
  return (
    <Part title={i18n._('About Linnet')}>
      <dl className={styles.facts}>
        {facts.map(([name, words]) => (
          <div key={name} className={styles.fact}>
            <dt>{name}</dt>
            <dd>
              <bdi>{words}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <div>
        <Button onClick={() => void copy()}>{copied ? i18n._('Copied') : i18n._('Copy for support')}</Button>
      </div>
      <CheckCounts />
    </Part>
  )
}

function connectionWords(connection: Connection): string {
  switch (connection) {
    case 'online':
      return i18n._('Live: what changes arrives at once')
    case 'connecting':
      return i18n._('Connecting: what changes is asked for meanwhile')
    case 'offline':
      return i18n._('Offline: what is kept here can be read')
  }
}
