import { i18n } from '@lingui/core'
import { ownAccount, verifiedFactors } from '../../../../data/account/ownAccount.ts'
import { signInMethods } from '../../../../data/account/signInMethods.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { LoadTogether } from '../../../../features/parts/lists/LoadTogether.tsx'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { PaneFrame } from '../../PaneFrame.tsx'
import { Applications } from './Applications.tsx'
import { EmailAddress } from './EmailAddress.tsx'
import { Connections } from './Connections.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { Factors } from './Factors.tsx'
import { NoPasskeys, Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { Sessions } from './Sessions.tsx'

/** Account and security: email, password, second factors, passkeys, connected accounts and applications, sessions, deletion. */
export default function SecurityPane() {
  const account = useQuery(ownAccount)
  const methods = useQuery(signInMethods)
  return (
    <PaneFrame>
      <LoadTogether>
        <QueryContent query={methods} loading={loadingLabel()}>
          {({ mailedCodes, passwords, phone, passkeys, hasPasskeys, providers }) => (
            <QueryContent query={account} loading={loadingLabel()}>
              {(own) => (
                <>
                  <EmailAddress account={own} canChange={mailedCodes} />
                  {passwords ? <Password account={own} /> : null}
                  <Factors account={own} phone={phone} />
                  {verifiedFactors(own).length ? <RecoveryCodes /> : null}
                  {passkeys ? <Passkeys /> : hasPasskeys ? <NoPasskeys /> : null}
                  {providers.length ? <Connections account={own} providers={providers} /> : null}
                  <Applications />
                  <Sessions />
                  <DeleteAccount />
                </>
              )}
            </QueryContent>
          )}
        </QueryContent>
      </LoadTogether>
    </PaneFrame>
  )
}

const loadingLabel = () => i18n._('Loading your account')
