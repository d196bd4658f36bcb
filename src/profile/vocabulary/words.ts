/** Words that APIs use in names of fields and headers, in statuses and in kinds of events. */
const WORDS = new Set(
  `a about abandoned accepted access account accounts action active activity additional address after age agent
  all allow allowed amount amounts an and api app application approved archived at attempt attempts attributes
  auth authorization avatar available awaiting balance bank bar batch before begin billing blocked body branch
  brand browser business by cache call callback cancel canceled cancelled card carrier cart category cents
  channel charge charged charges checkout city client close closed code codes comment company complete
  completed config confirmed connect content context control conversation copy correlation cors cost count
  country created creation credit creditor currency current cursor custom customer customers data date day
  days dead debit debtor declined default deleted delivered deliveries delivery desc description destination
  detail details device digest direction disabled discount display disputed doc docs document domain
  draft due duration email empty enabled end ended entries entry environment error errors event events
  expected expires expired expiry ext external extra failed failure fee fees field fields file final
  finished first flag flow for format found frame fraud free from full funds gateway gross group guid has
  hash header headers held hits hold home hook host href html id identifier identity ids image in index
  info initiated input institution instance instructions integration interval invalid invoice invoices
  is iso issued issuer item items key keys kind label language last late left length level limit line
  lines link links list live livemode loan local locale location log mail max maximum me media member
  merchant message messages meta metadata method min minimum minor mobile mode money month more mpesa msg mtn airtel safaricom ussd kes national prompts
  msisdn name names narration narrative net network next no nonce not note notes notification number numbers
  object occurred of offset ok old on open operation operator option options order orders org origin
  original other outcome outstanding overdue owner page pages pageable paging pagination paid param parameter
  parameters parent part partial partner party password past path payer payload payment payments payout
  pending per percent period permissions person phone pin hint plan platform pointer point policy position postal
  powered prefix previous prev price primary priority private process processed processing processor
  product profile progress prompt properties property protocol provider public publishable purpose
  quantity query queue queued rate rates rating ratelimit raw reason receipt received receiver recipient record records
  recurring redirect ref reference references refund refunded region rejected related remaining remark
  remarks removed request requested requests require required reset resource response result results
  resume retries retry return returned reversed revoked role route row rows rules run sandbox scheduled
  schema scheme scope score seen self embedded relationships jsonapi signing carbon search second seconds secret security sender sent sequence service session
  set shipping shop short shortcode signature signed site size sms sort source special
  spec stage start started state statement status step stk stopped store string sub subject
  submitted subscription subscriptions subtotal succeeded success successful sum summary support
  suspended sys system tag tags target tax team tel tenant tenants term terminal test text the third
  time timed timeout times timestamp timezone title to token topic total totals trace tracking trans
  transaction transactions transfer trial tries type types unique unit units unknown unpaid unsent until
  updated uri url urls usage use used user username users uuid valid validation validated value values
  vat verb verified verification version violations void voided wallet warning warnings was webhook webhooks
  week wait weight window with withdrawal work write year zip zone`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Whether a word, in small letters, is one that APIs use: it can name no person. */
export const isKnownWord = (word: string): boolean =>
  WORDS.has(word.replace(/\d{1,9}$/, "")) || WORDS.has(word.replace(/s$/, ""));
