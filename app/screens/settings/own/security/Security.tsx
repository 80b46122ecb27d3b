import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import { fetchAccount } from '../../../../data/account/ownAccount.ts'
import { fetchSignInMethods } from '../../../../data/account/signInMethods.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Skeleton } from '../../../../ui/Skeleton.tsx'
import { useAsync } from '../../../../ui/useAsync.ts'
import { useDelayed } from '../../../../ui/useDelayed.ts'
import { Applications } from './Applications.tsx'
import { EmailAddress } from './EmailAddress.tsx'
import { Connections } from './Connections.tsx'
import { Factors } from './Factors.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { Sessions } from './Sessions.tsx'

/** Account and security: email, password, second factors, passkeys, connected accounts and applications, sessions. */
export default function Security() {
  const [reloadKey, setReloadKey] = useState(0)
  const account = useAsync(fetchAccount, reloadKey)
  const methods = useAsync(fetchSignInMethods)
  const reload = useCallback(() => setReloadKey((before) => before + 1), [])
  const late = useDelayed(!account || !methods)
  return (
    <>
      {account?.ok && methods?.ok ? (
        <>
          <EmailAddress account={account.value} onChanged={reload} />
          <Password account={account.value} onChanged={reload} />
          <Factors account={account.value} phone={methods.value.phone} onChanged={reload} />
          {methods.value.passkeys ? <Passkeys /> : null}
          {methods.value.providers.length ? (
            <Connections account={account.value} providers={methods.value.providers} onChanged={reload} />
          ) : null}
          <Applications />
          <Sessions key={reloadKey} />
        </>
      ) : account?.ok === false || methods?.ok === false ? (
        <>
          <p>
            {account?.ok === false
              ? account.failure.message
              : methods?.ok === false
                ? methods.failure.message
                : ''}
          </p>
          <div>
            <Button onClick={() => location.reload()}>{i18n._('Try again')}</Button>
          </div>
        </>
      ) : late ? (
        <Skeleton label={i18n._('Loading your account')} />
      ) : null}
    </>
  )
}
