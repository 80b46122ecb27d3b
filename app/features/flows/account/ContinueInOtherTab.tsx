import { i18n } from '@lingui/core'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'

/** Shown in the waiting tab when the emailed link was opened in another tab. */
export function ContinueInOtherTab({ busy, onContinue }: { busy: boolean; onContinue: () => void }) {
  return (
    <Page
      title={i18n._('Continue in the other tab')}
      lead={i18n._('You opened the link from the email there. You can close this tab.')}
    >
      <div>
        <Button busy={busy} onClick={onContinue}>
          {i18n._('Continue here instead')}
        </Button>
      </div>
    </Page>
  )
}
