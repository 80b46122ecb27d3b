import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Admission, JoiningDomain, JoiningSettings } from '../../../../wire/joining.ts'
import { joiningSettings, setJoiningDomain, setJoiningOptions } from '../../../data/administration/joining.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Form } from '../../../ui/Form.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useSetting } from '../../../data/hooks/useSetting.ts'
import { ChannelChoice } from '../../../features/flows/channels/ChannelChoice.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import listStyles from '../SettingsList.module.css'
import { SettingsSection } from '../SettingsSection.tsx'
import { SettingSwitch } from '../SettingSwitch.tsx'
import styles from './JoiningPane.module.css'
import { JoinRequests } from './JoinRequests.tsx'

/** Who may join the workspace without an invitation, who waits, and where newcomers start. */
export default function JoiningPane() {
  return (
    <PaneFrame>
      <QueryContent query={useQuery(joiningSettings)} loading={i18n._('Joining')}>
        {(settings) => (
          <>
            <JoinRequests requests={settings.requests} />
            <Domains domains={settings.domains} />
            <OpenRequests settings={settings} />
            <DefaultChannels settings={settings} />
          </>
        )}
      </QueryContent>
    </PaneFrame>
  )
}

const admissionOptions = (): { value: Admission; label: string }[] => [
  { value: 'join', label: i18n._('Join right away') },
  { value: 'request', label: i18n._('Ask for approval') },
]

function Domains({ domains }: { domains: readonly JoiningDomain[] }) {
  const [domain, setDomain] = useState('')
  const [admission, setAdmission] = useState<Admission>('request')
  return (
    <SettingsSection
      title={i18n._('Email domains')}
      hint={i18n._(
        'People with a confirmed address at these domains can create an account and join. Only owners and admins see this list.',
      )}
    >
      {domains.length > 0 ? (
        <ul className={listStyles.list}>
          {domains.map((one) => (
            <DomainRow key={one.domain} domain={one} />
          ))}
        </ul>
      ) : null}
      <Form
        action={i18n._('Add domain')}
        variant="plain"
        isDisabled={!domain.trim()}
        run={() => setJoiningDomain(domain, admission)}
        onDone={() => setDomain('')}
      >
        <TextField
          label={i18n._('Domain')}
          placeholder="example.com"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={253}
          value={domain}
          onChange={setDomain}
        />
        <SelectField
          label={i18n._('People at this domain can')}
          value={admission}
          options={admissionOptions()}
          onChange={setAdmission}
        />
      </Form>
    </SettingsSection>
  )
}

function DomainRow({ domain: { domain, admission } }: { domain: JoiningDomain }) {
  // Null: the domain is being removed.
  const setting = useSetting<JoiningDomain['admission'] | null>(admission, (chosen) =>
    setJoiningDomain(domain, chosen),
  )
  return (
    <li className={cx(listStyles.row, styles.domain)}>
      <div className={listStyles.details}>
        <SelectField
          label={domain}
          value={setting.value ?? admission}
          options={admissionOptions()}
          onChange={setting.choose}
        />
        {setting.failure ? <p role="alert">{setting.failure}</p> : null}
      </div>
      <Button
        busy={setting.value === null}
        aria-label={i18n._('Remove {domain}', { domain })}
        onClick={() => setting.choose(null)}
      >
        {i18n._('Remove')}
      </Button>
    </li>
  )
}

function OpenRequests({ settings }: { settings: JoiningSettings }) {
  return (
    <SettingsSection title={i18n._('Requests from everyone')}>
      <SettingSwitch
        label={i18n._('Anyone can ask to join')}
        hint={i18n._(
          'Everyone who confirms an email address can create an account on this server, and sees the name of the workspace.',
        )}
        saved={settings.open_requests}
        save={(open_requests) => setJoiningOptions({ open_requests })}
      />
    </SettingsSection>
  )
}

function DefaultChannels({ settings }: { settings: JoiningSettings }) {
  const setting = useSetting(settings.default_channels, (default_channels) =>
    setJoiningOptions({ default_channels }),
  )
  return (
    <SettingsSection
      title={i18n._('Default channels')}
      hint={i18n._(
        'New members start in these channels, unless their invitation names others. If none is chosen, they start in the oldest public channel. Guests aren’t affected.',
      )}
    >
      <ChannelChoice
        label={i18n._('Public channels')}
        isPublicOnly
        chosen={setting.value}
        onChange={setting.choose}
      />
      {setting.failure ? (
        <p role="alert">{setting.failure}</p>
      ) : (
        <p className="note">
          {i18n._('{count, plural, one {# channel} other {# channels}} selected', {
            count: setting.value.length,
          })}
        </p>
      )}
    </SettingsSection>
  )
}
