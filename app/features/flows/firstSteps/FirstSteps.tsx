import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { describeCheck } from '../../../../wire/describeCheck.ts'
import { createFinding } from '../../../../wire/serverChecks.ts'
import { checkAgain } from '../../../data/administration/health.ts'
import { hideFirstSteps, useFirstSteps, type FirstStep } from '../../../data/administration/firstSteps.ts'
import { sendTestMail } from '../../../data/administration/testMail.ts'
import { navigate } from '../../../historyState.ts'
import { pathTo } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { LoadTogether } from '../../parts/lists/LoadTogether.tsx'
import { useCheckLanguage } from '../../parts/server/useCheckLanguage.ts'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { BackupNow } from '../../parts/server/BackupNow.tsx'
import { TextWithCommands } from '../../parts/TextWithCommands.tsx'
import { TestMail } from '../../parts/server/TestMail.tsx'
import styles from './FirstSteps.module.css'

/** The steps of an owner before others use the server. Each disappears once it is done; the reader can hide all of them. */
export default function FirstSteps({ onClose }: { onClose: () => void }) {
  const open = useFirstSteps(true)
  const [isBackedUp, setBackedUp] = useState(false)
  const steps = open && isBackedUp ? withBackup(open) : open
  const check = useAction()
  const hiding = useAction()
  // The report of the server may be older than what the reader has done in a terminal meanwhile.
  const checkAtStart = useEffectEvent(() => void check.run(checkAgain))
  useEffect(() => checkAtStart(), [])
  return (
    <Dialog title={i18n._('First steps')} onClose={onClose}>
      <div className={layout.body}>
        {steps === null ? <Skeleton label={i18n._('Loading…')} shape="lines" /> : null}
        {steps?.length === 0 ? <p>{i18n._('Everything is set up. Others can use this server.')}</p> : null}
        {steps && steps.length > 0 ? (
          <LoadTogether>
            <ol className={styles.list} aria-label={i18n._('First steps')}>
              {steps.map((step) => (
                <li key={step.name}>
                  <Step step={step} onBackup={() => setBackedUp(true)} />
                </li>
              ))}
            </ol>
          </LoadTogether>
        ) : null}
        {check.failure || hiding.failure ? <p role="alert">{check.failure || hiding.failure}</p> : null}
        <div className={layout.footer}>
          {steps?.some(({ finding }) => finding) ? (
            <Button busy={check.busy} onClick={() => void check.run(checkAgain)}>
              {check.busy ? i18n._('Checking…') : i18n._('Check again')}
            </Button>
          ) : null}
          <Button
            busy={hiding.busy}
            onClick={async () => {
              if (await hiding.run(hideFirstSteps)) onClose()
            }}
          >
            {i18n._('Don’t show these again')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** The steps with the backup, whose result stays visible after the step is done. */
function withBackup(steps: readonly FirstStep[]): readonly FirstStep[] {
  if (steps.some(({ name }) => name === 'backup')) return steps
  const next = steps.findIndex(({ name }) => name === 'account' || name === 'people')
  return steps.toSpliced(next === -1 ? steps.length : next, 0, { name: 'backup', finding: null })
}

function Step({ step: { name, finding }, onBackup }: { step: FirstStep; onBackup: () => void }) {
  const checkLanguage = useCheckLanguage()
  const open = useOverlay()
  const found = finding && describeCheck(finding, checkLanguage)
  switch (name) {
    case 'address':
      return (
        <Item title={i18n._('Give Linnet an address that others can open')}>
          <p className="muted">{found?.text}</p>
          {found?.advice ? (
            <p className="muted">
              <TextWithCommands text={found.advice} />
            </p>
          ) : null}
          {finding?.code === 'address.local' ? (
            <p className="muted">
              <TextWithCommands
                text={i18n._(
                  'For phones and computers in your own network, stop Linnet and start it again with “--host 0.0.0.0”. It then prints the address that they open. For people elsewhere, Linnet needs a domain name and a certificate. A proxy such as Caddy gets the certificate, or Linnet itself (acme in [tls] of linnet.toml).',
                )}
              />
            </p>
          ) : null}
          <ServerSettingsButton section="address" />
        </Item>
      )
    case 'mail':
      return finding?.code === 'mail.reachable' ? (
        <TestMailStep />
      ) : (
        <Item title={i18n._('Set up email')}>
          <p className="muted">{found?.text}</p>
          <p className="muted">{found?.advice}</p>
          <ServerSettingsButton section="email" />
        </Item>
      )
    case 'backup':
      return (
        <Item title={i18n._('Make the first backup')}>
          {finding?.code === 'backups.failed' ? null : <p className="muted">{found?.text}</p>}
          <BackupNow onStart={onBackup} />
          <ServerSettingsButton section="backups" />
        </Item>
      )
    case 'account':
      return (
        <Item title={i18n._('Protect your account')}>
          <p className="muted">
            {i18n._(
              'Without a second factor, anyone who knows your password or can read your email can sign in as you.',
            )}
          </p>
          <Button
            onClick={() => {
              open(null)
              navigate(pathTo('securitySettings'))
            }}
          >
            {i18n._('Open account and security')}
          </Button>
        </Item>
      )
    case 'people':
      return (
        <Item title={i18n._('Invite your team')}>
          <Button onClick={() => open({ kind: 'invite' })}>{i18n._('Invite people')}</Button>
        </Item>
      )
  }
}

/** Opens a section of the page "Server". */
function ServerSettingsButton({ section }: { section: 'address' | 'email' | 'backups' }) {
  const open = useOverlay()
  return (
    <Button
      onClick={() => {
        open(null)
        navigate(`${pathTo('serverSettings')}#${section}`)
      }}
    >
      {i18n._('Open server settings')}
    </Button>
  )
}

function Item({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.step}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </div>
  )
}

/** The step is done once the reader confirms that the mail has arrived. */
function TestMailStep() {
  const checkLanguage = useCheckLanguage()
  return (
    <Item title={i18n._('Test the mail server')}>
      <div className={styles.actions}>
        <TestMail
          send={() => sendTestMail(i18n.locale)}
          renderProblem={({ problem }) => {
            const { text, advice } = describeCheck(createFinding('mail.failing', { problem }), checkLanguage)
            return (
              <>
                <p>{text}</p>
                <p className="muted">{advice}</p>
              </>
            )
          }}
        />
      </div>
    </Item>
  )
}
