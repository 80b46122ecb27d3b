import { i18n } from '@lingui/core'
import { useState } from 'react'
import { createRecoveryCodes, recoveryCodes } from '../../../../data/account/recoveryCodes.ts'
import { saveBlob } from '../../../../data/files/download/saveFile.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import { formatDate } from '../../../../ui/dates.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { useAction } from '../../../../ui/useAction.ts'
import { SettingsSection } from '../../SettingsSection.tsx'
import { CopyButton } from '../../../../features/flows/account/CopyButton.tsx'
import security from '../../../../features/flows/account/security.module.css'

/** The recovery codes of an account with a second factor: how many are left, and new ones. */
export function RecoveryCodes() {
  const query = useQuery(recoveryCodes)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const [confirming, setConfirming] = useState(false)
  const action = useAction()
  const create = async () => {
    const outcome = await createRecoveryCodes()
    if (outcome.ok) setCodes(outcome.value)
    return outcome
  }
  return (
    <SettingsSection
      title={i18n._('Recovery codes')}
      hint={i18n._('Each code lets you in once if you lose your second factor.')}
    >
      <QueryContent query={query} loading={i18n._('Recovery codes')}>
        {({ remaining, created_at: createdAt }) => (
          <>
            {createdAt === null ? null : (
              <p>
                {i18n._('{remaining, plural, one {# code} other {# codes}} left, created {day}', {
                  remaining,
                  day: formatDate(createdAt),
                })}
              </p>
            )}
            <div>
              <Button
                busy={action.busy}
                onClick={() => (createdAt === null ? void action.run(create) : setConfirming(true))}
              >
                {createdAt === null ? i18n._('Create recovery codes') : i18n._('Create new codes')}
              </Button>
            </div>
          </>
        )}
      </QueryContent>
      {action.failure ? <p role="alert">{action.failure}</p> : null}
      {confirming ? (
        <ConfirmDialog
          title={i18n._('Create new recovery codes?')}
          text={i18n._('Your current codes will stop working.')}
          action={i18n._('Create new codes')}
          run={create}
          onClose={() => setConfirming(false)}
        />
      ) : null}
      {codes && !confirming ? <ShownCodes codes={codes} onClose={() => setCodes(null)} /> : null}
    </SettingsSection>
  )
}

/** Shows new codes, which can be copied and saved. */
function ShownCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const save = () => {
    const file = new Blob([`${location.host}\n\n${text}\n`], { type: 'text/plain' })
    void saveBlob(file, 'linnet-recovery-codes.txt')
  }
  return (
    <Dialog title={i18n._('Your recovery codes')} onClose={onClose}>
      <div className={layout.body}>
        <p>
          {i18n._(
            'Keep them where you can reach them without this device, such as in a password manager or on paper. You won’t see them again.',
          )}
        </p>
        <ul className={security.codes} dir="ltr">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <div className={layout.footer}>
          <Button onClick={save}>{i18n._('Save as a file')}</Button>
          <CopyButton text={text} />
          <Button variant="primary" onClick={onClose}>
            {i18n._('Done')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
