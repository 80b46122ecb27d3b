import { i18n } from '@lingui/core'
import { pathTo } from '../../../../paths.ts'
import type { Identity, OwnAccount } from '../../../../data/account/ownAccount.ts'
import {
  linkProvider,
  canLinkIdentities,
  providerName,
  unlinkIdentity,
} from '../../../../data/account/providers.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { useAction } from '../../../../ui/useAction.ts'
import { EditableList } from '../../EditableList.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import listStyles from '../../SettingsList.module.css'

interface Props {
  account: OwnAccount
  /** Configured providers. */
  providers: readonly string[]
}

/** Connected accounts of external providers. Nothing if no provider can be connected. */
export function Connections(props: Props) {
  const query = useQuery(canLinkIdentities)
  return (
    <QueryContent query={query} loading={i18n._('Connected accounts')}>
      {(mayChange) => <Connected {...props} mayChange={mayChange} />}
    </QueryContent>
  )
}

function Connected({ account, providers, mayChange }: Props & { mayChange: boolean }) {
  const action = useAction()
  const external = account.identities.filter(({ provider }) => provider !== 'email' && provider !== 'phone')
  const open = providers.filter((name) => mayChange && !external.some(({ provider }) => provider === name))
  if (external.length + open.length === 0) return null
  return (
    <SettingsSection title={i18n._('Connected accounts')} hint={i18n._('You can also sign in with these.')}>
      <EditableList
        items={external}
        keyOf={({ identity_id }) => identity_id}
        actions={({ identity_id, provider: name }) => {
          const provider = providerName(name)
          const confirm = {
            title: i18n._('Disconnect {provider}?', { provider }),
            text: i18n._('You’ll no longer be able to sign in with it. You can still sign in by email.'),
            action: i18n._('Disconnect'),
            isDestructive: true,
            doneText: i18n._('Account disconnected.'),
            run: () => unlinkIdentity(identity_id),
          }
          const label = i18n._('Disconnect {provider}', { provider })
          return mayChange ? [{ text: i18n._('Disconnect'), label, confirm }] : []
        }}
      >
        {(identity) => (
          <>
            <p>{providerName(identity.provider)}</p>
            <p className="note">
              <bdi>{externalName(identity)}</bdi>
            </p>
          </>
        )}
      </EditableList>
      {open.length ? (
        <div className={listStyles.buttons}>
          {open.map((provider) => (
            <Button
              key={provider}
              onClick={() => void action.run(() => linkProvider(provider, pathTo('securitySettings')))}
            >
              {i18n._('Connect {provider}', { provider: providerName(provider) })}
            </Button>
          ))}
        </div>
      ) : null}
      {action.failure ? <p role="alert">{action.failure}</p> : null}
    </SettingsSection>
  )
}

/** The account name at the provider. */
function externalName({ identity_data: data = {} }: Identity): string {
  const known = [data['preferred_username'], data['email'], data['name']].find(
    (one) => typeof one === 'string',
  )
  return known ?? ''
}
