import { i18n } from '@lingui/core'
import { useState } from 'react'
import {
  servicesWithUrl,
  signInServices,
  type ServerSettings,
  type SettingChanges,
  type SignInService,
} from '../../../../wire/serverSettings.ts'
import {
  restartServer,
  sendTestMailWith,
  serverSettingsQuery,
} from '../../../data/administration/serverSettings.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { BackupNow } from '../../../features/parts/server/BackupNow.tsx'
import { TestMail } from '../../../features/parts/server/TestMail.tsx'
import { LoadTogether } from '../../../features/parts/lists/LoadTogether.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import { useAction } from '../../../ui/useAction.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import {
  DisplayedSetting,
  SecretField,
  SettingCheckbox,
  SettingField,
  SettingsForm,
  useChanges,
} from './SettingsForm.tsx'
import { explainMailProblem } from './explainMailProblem.ts'
import { explain, explainRefusal } from './explainRefusal.ts'
import { serviceNames, settingName } from './settingLabels.ts'
import styles from './ServerPane.module.css'

/** Settings of the whole server, for owners of the first workspace. */
export default function ServerPane() {
  const query = useQuery(serverSettingsQuery)
  const [hasConflict, setConflict] = useState(false)
  const onSave = (isConflict: boolean) => {
    setConflict(isConflict)
    if (isConflict) serverSettingsQuery.invalidate()
  }
  return (
    <PaneFrame
      hint={i18n._(
        'These settings apply to the whole server and all its workspaces. Changes take effect when the server restarts.',
      )}
      bottom={query.value ? <Waiting state={query.value} /> : null}
    >
      {hasConflict ? (
        <p role="alert">
          {i18n._(
            'Someone else has saved settings in the meantime. This page shows them together with your changes. Check your changes, then save again.',
          )}
        </p>
      ) : null}
      <LoadTogether>
        <QueryContent query={query} loading={i18n._('Loading…')}>
          {(state) => <Sections state={state} onSave={onSave} />}
        </QueryContent>
      </LoadTogether>
    </PaneFrame>
  )
}

interface SectionProps {
  state: ServerSettings
  /** Called after a save, and with true if another owner has saved meanwhile. */
  onSave: (isConflict: boolean) => void
}

function Sections(props: SectionProps) {
  return (
    <>
      <SettingsSection title={i18n._('Address')} id="address">
        <SettingsForm {...props}>
          <SettingField
            setting="server.public_url"
            inputMode="url"
            placeholder="https://chat.example.org"
            hint={i18n._(
              'The address that people type into their browser. The server tests it before saving. Passkeys are tied to the address: after a change, everyone has to add theirs again.',
            )}
          />
        </SettingsForm>
      </SettingsSection>
      <Email {...props} />
      <SignIn {...props} />
      <Services {...props} />
      <Limits {...props} />
      <Backups {...props} />
    </>
  )
}

/** The settings that wait for a restart, and why the last changes were undone. It stays visible, whichever section was saved. */
function Waiting({ state }: { state: ServerSettings }) {
  const restart = useAction()
  const showToast = useToast()
  const names = [...new Set(state.waiting.map(settingName))]
  const run = async () => {
    const done = await restart.run(() => explain(restartServer(state.startedAt)))
    if (!done) return
    if (done.value.undone === null) showToast({ text: i18n._('The server has restarted.') })
  }
  if (names.length === 0 && state.undone === null) return null
  return (
    <div className={styles.notice} role="status">
      {state.undone === null ? null : (
        <>
          <p>{i18n._('The server didn’t start with the last changes, so they were undone. The reason:')}</p>
          <Undone reason={state.undone} />
        </>
      )}
      {names.length === 0 ? null : (
        <>
          <p>
            {i18n._('Waiting for a restart: {settings}', {
              settings: new Intl.ListFormat(i18n.locales ?? i18n.locale).format(names),
            })}
          </p>
          {state.canRestart ? (
            <>
              <p className="muted">
                {i18n._(
                  'A restart takes a few seconds. Open pages reconnect, and nothing that people write is lost.',
                )}
              </p>
              <div>
                <Button variant="primary" busy={restart.busy} onClick={() => void run()}>
                  {restart.busy ? i18n._('Restarting…') : i18n._('Restart now')}
                </Button>
              </div>
            </>
          ) : (
            <p className="muted">{i18n._('Restart Linnet on the server.')}</p>
          )}
        </>
      )}
      {restart.failure ? <p role="alert">{restart.failure}</p> : null}
    </div>
  )
}

/** Why the server did not start: in the language of the reader, else quoted. */
function Undone({ reason }: { reason: string }) {
  const sentence = explainRefusal('', reason)
  if (sentence !== reason) return <p>{sentence}</p>
  return (
    <p lang="en" dir="ltr">
      <q>{reason}</q>
    </p>
  )
}

const smtp = (key: string) => `auth.email.smtp.${key}`

const mailNumbers = [smtp('port')]

/** Without a host or a user, what belongs to it is removed too. */
function completeMail(state: ServerSettings, changes: SettingChanges): SettingChanges {
  const remove = (...keys: string[]) =>
    Object.fromEntries(keys.flatMap((key) => (state.settings[key]?.isSet ? [[key, null]] : [])))
  if (changes[smtp('host')] === null)
    return remove(...['host', 'port', 'user', 'pass', 'admin_email', 'sender_name'].map(smtp))
  if (changes[smtp('user')] === null) return { ...changes, ...remove(smtp('pass')) }
  return changes
}

function Email(props: SectionProps) {
  return (
    <SettingsSection
      title={i18n._('Email')}
      id="email"
      hint={i18n._(
        'The server sends emails for sign-in, invitations and unread messages through this mail server.',
      )}
    >
      <SettingsForm
        {...props}
        numbers={mailNumbers}
        complete={(changes) => completeMail(props.state, changes)}
        after={<TestMailOfForm />}
      >
        <div className={styles.fields}>
          <SettingField setting={smtp('host')} inputMode="url" placeholder="smtp.example.org" />
          <SettingField setting={smtp('port')} inputMode="numeric" placeholder="587" />
          <SettingField setting={smtp('user')} />
          <SecretField setting={smtp('pass')} />
          <SettingField setting={smtp('admin_email')} inputMode="email" placeholder="chat@example.org" />
          <SettingField setting={smtp('sender_name')} placeholder="Linnet" />
        </div>
      </SettingsForm>
    </SettingsSection>
  )
}

/** Sends a test mail with the values of the form, also before they are saved. */
function TestMailOfForm() {
  const changes = useChanges()
  return (
    <TestMail
      send={() => explain(sendTestMailWith(changes, i18n.locale))}
      renderProblem={({ problem, isResponse }) => (
        <>
          <p>{explainMailProblem(problem) ?? i18n._('The email couldn’t be sent.')}</p>
          <p className="note">
            {isResponse ? i18n._('Response of the mail server:') : i18n._('Error message:')}
          </p>
          <p lang="en" dir="ltr">
            <q>{problem}</q>
          </p>
        </>
      )}
    />
  )
}

function SignIn(props: SectionProps) {
  return (
    <SettingsSection
      title={i18n._('Sign-in')}
      id="sign-in-methods"
      hint={i18n._(
        'Turn off the sign-in methods that your members can’t use. The sign-in page then hides them.',
      )}
    >
      <SettingsForm {...props}>
        <SettingCheckbox
          setting="auth.email.codes"
          isOnByDefault
          hint={i18n._(
            'Turn this off if the server has no mail server. Invited people then choose a password or a passkey when they join. Nobody can join by the domain of their address, because no address is confirmed.',
          )}
        />
        <SettingCheckbox setting="auth.email.passwords" isOnByDefault />
        <SettingCheckbox setting="auth.passkey.enabled" />
      </SettingsForm>
    </SettingsSection>
  )
}

function Services(props: SectionProps) {
  const [refused, setRefused] = useState('')
  return (
    <SettingsSection
      title={i18n._('Sign-in with other services')}
      id="sign-in"
      hint={i18n._(
        'To add a service, register Linnet with it, then enter the credentials that it gives you.',
      )}
    >
      <SettingsForm {...props} onRefused={setRefused}>
        <div>
          {signInServices.map((name) => (
            <Service
              key={name}
              name={name}
              state={props.state}
              isRefused={refused.startsWith(`auth.external.${name}.`)}
            />
          ))}
        </div>
      </SettingsForm>
    </SettingsSection>
  )
}

const urlPlaceholders: Partial<Record<SignInService, string>> = {
  gitlab: 'https://gitlab.com',
  azure: 'https://login.microsoftonline.com/common',
  keycloak: 'https://keycloak.example.org/realms/company',
}

function Service({
  name,
  state,
  isRefused,
}: {
  name: SignInService
  state: ServerSettings
  isRefused: boolean
}) {
  const key = (part: string) => `auth.external.${name}.${part}`
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className={styles.service}
      open={isOpen || isRefused}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {serviceNames[name]}
        <span className="muted">
          {state.settings[key('enabled')]?.value === true ? i18n._('On') : i18n._('Off')}
        </span>
      </summary>
      <div className={styles.serviceFields}>
        <SettingCheckbox setting={key('enabled')} />
        <div className={styles.fields}>
          <SettingField setting={key('client_id')} />
          <SecretField setting={key('secret')} />
          {servicesWithUrl.includes(name) ? (
            <SettingField setting={key('url')} inputMode="url" placeholder={urlPlaceholders[name]} />
          ) : null}
        </div>
        <p className="note">
          {i18n._('Enter this redirect URL at the service: {address}', {
            address: `${String(state.settings['server.public_url']?.value ?? location.origin)}/auth/v1/callback`,
          })}
        </p>
      </div>
    </details>
  )
}

const limits: { key: string; placeholder: string }[] = [
  { key: 'auth.rate_limit.email_sent', placeholder: '300' },
  { key: 'settings.invitation_mails_per_day', placeholder: '500' },
  { key: 'settings.mail_max_per_hour', placeholder: '500' },
  { key: 'settings.mail_delay_minutes', placeholder: '15' },
]

const limitKeys = limits.map(({ key }) => key)

function Limits(props: SectionProps) {
  return (
    <SettingsSection
      title={i18n._('Limits')}
      id="limits"
      hint={i18n._('Leave a field empty to use its default.')}
    >
      <SettingsForm {...props} numbers={limitKeys}>
        <div className={styles.fields}>
          <SettingField
            setting="storage.file_size_limit"
            placeholder="50MiB"
            hint={i18n._('A number with a unit, such as 200MiB or 1GiB.')}
          />
          {limits.map(({ key, placeholder }) => (
            <SettingField key={key} setting={key} inputMode="numeric" placeholder={placeholder} />
          ))}
        </div>
      </SettingsForm>
    </SettingsSection>
  )
}

const kept = ['days', 'weeks', 'months'].map((period) => `backup.keep_${period}`)
const keptByDefault = ['7', '4', '6']

function Backups(props: SectionProps) {
  return (
    <SettingsSection
      title={i18n._('Backups')}
      id="backups"
      hint={i18n._('Backups contain the database, all files and these settings. They’re encrypted.')}
    >
      <BackupNow />
      <SettingsForm {...props} numbers={kept}>
        <SettingCheckbox setting="backup.enabled" isOnByDefault />
        <div className={styles.fields}>
          <SettingField
            setting="backup.to"
            placeholder="/mnt/backups/linnet"
            hint={i18n._('A folder on the server, ideally on another disk.')}
          />
          <SettingField setting="backup.at" placeholder="03:00" />
          {kept.map((key, index) => (
            <SettingField key={key} setting={key} inputMode="numeric" placeholder={keptByDefault[index]} />
          ))}
          <SecretField
            setting="backup.passphrase"
            hint={i18n._(
              'Protects the key in a new backup folder. For a folder that has backups, enter its passphrase. Keep a copy outside this server.',
            )}
          />
          <DisplayedSetting
            setting="backup.command"
            hint={i18n._('Runs on the server, for example to copy the backups to another machine.')}
          />
          <DisplayedSetting
            setting="backup.public_key"
            hint={i18n._('Without one, Linnet creates a key in the backup folder.')}
          />
        </div>
        <SettingCheckbox
          setting="backup.point_in_time"
          isOnByDefault
          hint={i18n._('A restore can then choose any time, and not only that of a daily backup.')}
        />
      </SettingsForm>
    </SettingsSection>
  )
}
