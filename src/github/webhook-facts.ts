/** Webhooks that did not come, as the App asks GitHub about them. */

/** What a webhook would have said that GitHub did not send. */
export interface UnsentWebhook {
  /** The same each time that it is read. */
  readonly id: string;
  /** `issue_comment`; its action is in the payload. */
  readonly name: string;
  /** When it was said or done. */
  readonly at: string;
  /** As GitHub writes it, without the repository and the installation. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One try of GitHub to bring a webhook, which failed. */
export interface FailedDelivery {
  /** Of this try; digits, because it may be too large for a number. */
  readonly id: string;
  /** Of the webhook: the same in every try, and the id under which it is stored. */
  readonly guid: string;
  /** `issues.labeled` */
  readonly name: string;
  readonly triedAt: string;
}
