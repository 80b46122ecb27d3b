import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import {
  accessRequest,
  denyAccess,
  grantAccess,
  SCOPES,
  type AccessRequest,
  type Scope,
} from '../../../data/account/applications.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { usePageQuery } from '../../../ui/pageAddress.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useAccount } from '../../../data/session/account.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Form } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { useAction } from '../../../ui/useAction.ts'
import { scopeText } from '../../../features/flows/account/scopeText.ts'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'

/** Where an application asks for access to the account (`authorization_url_path` of the OAuth server). */
export default function Consent() {
  const id = usePageQuery().get('authorization_id') ?? ''
  const { value: request, failure } = useQuery(accessRequest, [id])
  const redirectUrl = request && 'redirect_url' in request ? request.redirect_url : null
  useEffect(() => {
    if (redirectUrl !== null) location.assign(redirectUrl)
  }, [redirectUrl])
  if (failure) {
    return (
      <MessagePage
        title={i18n._('This request has ended')}
        lead={i18n._('Go back to the application and connect it again.')}
      />
    )
  }
  if (!request || 'redirect_url' in request) {
    return <Skeleton label={i18n._('Loading Linnet')} />
  }
  return <Decide request={request} />
}

function Decide({ request }: { request: AccessRequest }) {
  const { email } = useAccount()
  const action = useAction()
  const [scopes, setScopes] = useState<Scope[]>([])
  // Applications on a device have addresses without a host.
  const host = new URL(request.redirect_uri).host || request.redirect_uri
  const name = isolateBidi(request.client.name || host)
  const leave = (url: string) => location.assign(url)
  return (
    <Page
      title={i18n._('Connect {application}?', { application: name })}
      lead={i18n._('It can see who you are: your name and email address ({email}).', {
        email: isolateBidi(email ?? ''),
      })}
    >
      <Form
        state={action}
        action={i18n._('Connect')}
        run={() => grantAccess(request, scopes)}
        onDone={leave}
        after={
          <Button
            onClick={() =>
              void action.run(() => denyAccess(request)).then((denied) => denied && leave(denied.value))
            }
          >
            {i18n._('Don’t connect')}
          </Button>
        }
      >
        <fieldset className={styles.stack}>
          <legend>{i18n._('What else may {application} do?', { application: name })}</legend>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              label={scopeText(scope)}
              checked={scopes.includes(scope)}
              onChange={(checked) =>
                setScopes(SCOPES.filter((each) => (each === scope ? checked : scopes.includes(each))))
              }
            />
          ))}
        </fieldset>
        <p className="muted">
          {i18n._(
            'It never sees your drafts, reminders or saved messages, and can’t change your profile, members or channels. You can end its access in the settings.',
          )}
        </p>
        <p className="muted">{i18n._('You’ll continue at {host}.', { host: isolateBidi(host) })}</p>
      </Form>
    </Page>
  )
}
