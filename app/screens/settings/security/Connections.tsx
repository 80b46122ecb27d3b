import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Identity, OwnAccount } from '../../../data/account/ownAccount.ts'
import { linkProvider, mayLink, providerName, unlinkIdentity } from '../../../data/account/providers.ts'
import { Button } from '../../../ui/Button.tsx'
import { useAnswer } from '../../../ui/useAnswer.ts'
import { useAction } from '../../account/useAction.ts'
import { Part } from '../Part.tsx'
import { Removal } from './Removal.tsx'
import own from './security.module.css'

interface Props {
  account: OwnAccount
  /** What is configured here. */
  providers: readonly string[]
  onChanged: () => void
}

/** One's accounts elsewhere that sign in here: connected and taken off. Nothing where there are none to be had. */
export function Connections(props: Props) {
  const linking = useAnswer(mayLink)
  return linking?.ok ? <Connected {...props} mayChange={linking.value} /> : null
}

function Connected({ account, providers, mayChange, onChanged }: Props & { mayChange: boolean }) {
  const [removing, setRemoving] = useState<Identity | null>(null)
  const action = useAction()
  const elsewhere = account.identities.filter(({ provider }) => provider !== 'email' && provider !== 'phone')
  const open = providers.filter((name) => mayChange && !elsewhere.some(({ provider }) => provider === name))
  if (elsewhere.length + open.length === 0) return null
  return (
    <Part title={i18n._('Connected accounts')} hint={i18n._('You can also sign in with these.')}>
      {elsewhere.length ? (
        <ul className={own.list}>
          {elsewhere.map((identity) => (
            <li key={identity.identity_id} className={own.row}>
              <div className={own.words}>
                <p>{providerName(identity.provider)}</p>
                <p className={own.small}>
                  <bdi>{nameThere(identity)}</bdi>
                </p>
              </div>
              {mayChange ? (
                <Button
                  aria-label={i18n._('Disconnect {provider}', { provider: providerName(identity.provider) })}
                  onClick={() => setRemoving(identity)}
                >
                  {i18n._('Disconnect')}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
      {open.length ? (
        <div className={own.buttons}>
          {open.map((provider) => (
            <Button
              key={provider}
              onClick={() => void action.run(() => linkProvider(provider, '/settings/security'))}
            >
              {i18n._('Connect {provider}', { provider: providerName(provider) })}
            </Button>
          ))}
        </div>
      ) : null}
      {action.failure ? <p role="alert">{action.failure}</p> : null}
      {removing ? (
        <Removal
          title={i18n._('Disconnect {provider}?', { provider: providerName(removing.provider) })}
          words={i18n._('You’ll no longer be able to sign in with it. You can still sign in by email.')}
          label={i18n._('Disconnect')}
          done={i18n._('Account disconnected.')}
          remove={() => unlinkIdentity(removing.identity_id)}
          onDone={() => {
            setRemoving(null)
            onChanged()
          }}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </Part>
  )
}

/** How the account is called there. */
function nameThere({ identity_data: data = {} }: Identity): string {
  const known = [data['preferred_username'], data['email'], data['name']].find(
    (one) => typeof one === 'string',
  )
  return known ?? ''
}
